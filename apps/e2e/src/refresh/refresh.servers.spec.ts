import { SERVERS } from 'test-support';
import { describeRefreshFaults } from './faults.suite.js';
import { describeRefreshModel } from './model.suite.js';
import { describeRefresh } from './refresh.suite.js';

describeRefresh('postgres', 200);
describeRefresh('mariadb', 50);
SERVERS.forEach((database) => describeRefreshFaults(database));
SERVERS.forEach((database) => describeRefreshModel(database));
