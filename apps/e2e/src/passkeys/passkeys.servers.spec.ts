import { describePasskeyAccounts } from './account.suite.js';
import { describePasskeysAsFactors } from './second-factor.suite.js';
import { describePasskeys } from './passkeys.suite.js';

describePasskeys({ database: 'postgres', platform: 'fastify', tokens: 'jwt' });
describePasskeys({ database: 'mariadb', platform: 'express', tokens: 'stateless sessions' });

describePasskeyAccounts({ database: 'postgres', platform: 'fastify', tokens: 'jwt' });
describePasskeyAccounts({ database: 'mariadb', platform: 'express', tokens: 'stateless sessions' });

describePasskeysAsFactors({ database: 'postgres', platform: 'fastify', tokens: 'jwt' });
describePasskeysAsFactors({ database: 'mariadb', platform: 'express', tokens: 'stateless sessions' });
