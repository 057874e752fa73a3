import { describeBegunLogouts } from './logout-begun.suite.js';

describeBegunLogouts({ database: 'sqlite', platform: 'express', tokens: 'stateful sessions' });
