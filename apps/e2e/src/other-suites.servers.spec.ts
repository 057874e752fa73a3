// @own-context: it takes long, so that it begins early.
import { describeOtherSuites } from './suites.js';

describeOtherSuites();
