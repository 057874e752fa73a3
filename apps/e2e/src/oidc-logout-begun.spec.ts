import { describeBegunLogouts } from './oidc-logout-begun.suite.js';

describeBegunLogouts({ database: 'sqlite', platform: 'express', tokens: 'stateful sessions' });
