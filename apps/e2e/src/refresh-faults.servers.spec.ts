import { SERVERS } from 'test-support';
import { describeRefreshFaults } from './refresh-faults.suite.js';

SERVERS.forEach((database) => describeRefreshFaults(database));
