import { describeRefreshFaults } from './refresh-faults.suite.js';
import { describeRefreshModel } from './refresh-model.suite.js';
import { describeRefresh } from './refresh.suite.js';

describeRefresh('sqlite', 20);
describeRefreshFaults('sqlite');
describeRefreshModel('sqlite');
