import { SERVERS } from 'test-support';
import { describeOneTime } from './one-time.suite.js';

SERVERS.forEach(describeOneTime);
