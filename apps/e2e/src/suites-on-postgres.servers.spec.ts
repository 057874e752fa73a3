// @own-context: it takes longest, so that it begins first.
import { describeSuitesOn } from './suites.js';

describeSuitesOn('postgres');
