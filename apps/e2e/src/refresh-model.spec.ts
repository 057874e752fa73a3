import { describeRefreshModel } from './refresh-model.suite.js';

describeRefreshModel('sqlite');
