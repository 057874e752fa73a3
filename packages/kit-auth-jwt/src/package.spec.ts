import { describeExports } from 'test-support';
import * as api from './api.js';
import * as index from './index.js';

// Its options are those of kit-auth.
describeExports({ at: import.meta.url, entries: { '': index, api } });
