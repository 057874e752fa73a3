import { serverDatabases } from './databases.js';
import { describeSeeding } from './seeding.suite.js';

serverDatabases('seeding').forEach(describeSeeding);
