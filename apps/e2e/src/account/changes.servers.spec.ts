import { SERVERS } from 'test-support';
import { describeChanges } from './changes.suite.js';

SERVERS.forEach(describeChanges);
