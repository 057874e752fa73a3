import { describeOneTime } from './one-time.suite.js';

describeOneTime('sqlite');
