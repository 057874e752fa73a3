import { describeExports } from 'test-support';
import * as index from './index.js';

describeExports({ at: import.meta.url, entries: { '': index } });
