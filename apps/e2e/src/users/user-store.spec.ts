import { describeDefaultUserStore } from './user-store.suite.js';

describeDefaultUserStore('sqlite');
