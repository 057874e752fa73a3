import { describePasskeyAccounts } from './account.suite.js';
import { describePasskeysAsFactors } from './second-factor.suite.js';
import { describePasskeys } from './passkeys.suite.js';

describePasskeys({ database: 'sqlite', platform: 'express', tokens: 'jwt with refresh tokens' });
describePasskeys({ database: 'sqlite', platform: 'fastify', tokens: 'stateful sessions' });

describePasskeyAccounts({ database: 'sqlite', platform: 'express', tokens: 'jwt with refresh tokens' });
describePasskeyAccounts({ database: 'sqlite', platform: 'fastify', tokens: 'stateful sessions' });

describePasskeysAsFactors({ database: 'sqlite', platform: 'express', tokens: 'jwt with refresh tokens' });
describePasskeysAsFactors({ database: 'sqlite', platform: 'fastify', tokens: 'stateful sessions' });
