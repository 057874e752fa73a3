import { describePackagesWithOwnUsers } from './packages.suite.js';

describePackagesWithOwnUsers({ platform: 'fastify', database: 'sqlite' });
