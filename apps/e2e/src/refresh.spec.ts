import { describeRefresh } from './refresh.suite.js';

describeRefresh('sqlite', 20);
