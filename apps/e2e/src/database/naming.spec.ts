import { describeNaming } from './naming.suite.js';

describeNaming('sqlite');
