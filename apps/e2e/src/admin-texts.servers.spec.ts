import { SERVERS } from 'test-support';
import { describeTexts } from './admin-texts.suite.js';

SERVERS.forEach((database) => describeTexts({ database, platform: 'fastify', provider: 'session' }));
