import { SERVERS } from 'test-support';
import { describeRefreshModel } from './refresh-model.suite.js';

SERVERS.forEach((database) => describeRefreshModel(database));
