import { describeSeeding } from './seeding.suite.js';

describeSeeding('sqlite');
