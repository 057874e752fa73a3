import { MemorySessionStore } from 'kit-auth-session';
import { describeSessionStore } from 'kit-auth-testing';
import { describeDatabaseStore } from './stores.suite.js';

const memory = new MemorySessionStore();
describeSessionStore('memory', () => memory);

describeDatabaseStore('sqlite');
