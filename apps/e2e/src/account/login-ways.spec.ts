import { describeLoginWays } from './login-ways.suite.js';

describeLoginWays({ database: 'sqlite', platform: 'express', tokens: 'jwt' });
