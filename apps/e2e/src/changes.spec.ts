import { describeChanges } from './changes.suite.js';

describeChanges('sqlite');
