import { describeLoginWays, describeOwnLoginWays } from './login-ways.suite.js';

describeLoginWays({ database: 'postgres', platform: 'fastify', tokens: 'jwt' });
describeLoginWays({ database: 'mariadb', platform: 'express', tokens: 'jwt' });

describeOwnLoginWays({ database: 'postgres', platform: 'express' });
describeOwnLoginWays({ database: 'mariadb', platform: 'fastify' });
