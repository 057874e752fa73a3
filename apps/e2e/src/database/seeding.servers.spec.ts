import { SERVERS } from 'test-support';
import { describeSeeding } from './seeding.suite.js';

SERVERS.forEach(describeSeeding);
