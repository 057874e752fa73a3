import { SERVERS } from 'test-support';
import { describeDefaultUserStore } from './user-store.suite.js';

SERVERS.forEach(describeDefaultUserStore);
