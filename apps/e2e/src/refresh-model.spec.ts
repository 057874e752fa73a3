import { describeRefreshModel } from './refresh-model.suite.js';

describeRefreshModel('sqlite', 100);
