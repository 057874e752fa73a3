import { describeTexts } from './admin-texts.suite.js';

describeTexts({ database: 'sqlite', platform: 'express', provider: 'session' });
describeTexts({ database: 'sqlite', platform: 'fastify', provider: 'jwt' });
