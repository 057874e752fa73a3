import { describeLoginWays, describeOwnLoginWays } from './login-ways.suite.js';

describeLoginWays({ database: 'sqlite', platform: 'express', tokens: 'jwt' });
describeOwnLoginWays({ database: 'sqlite', platform: 'express' });
