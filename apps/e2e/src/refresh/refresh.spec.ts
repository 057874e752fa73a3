import { describeRefreshFaults } from './faults.suite.js';
import { describeRefreshModel } from './model.suite.js';
import { describeRefresh } from './refresh.suite.js';

describeRefresh('sqlite');
describeRefreshFaults('sqlite');
describeRefreshModel('sqlite');
