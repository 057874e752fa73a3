import { describeRefreshFaults } from './refresh-faults.suite.js';

describeRefreshFaults('sqlite');
