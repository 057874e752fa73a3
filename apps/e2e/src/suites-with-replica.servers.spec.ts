// @own-context: its databases have a replica.
import { describeSuitesWithReplica } from './suites.js';

describeSuitesWithReplica('postgres');
