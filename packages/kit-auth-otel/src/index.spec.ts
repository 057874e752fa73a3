import { expect, it } from '@jest/globals';
import * as kitAuthOtel from './index.js';

it('kit-auth-otel exports these names and no other', () => {
  expect(Object.keys(kitAuthOtel)).toEqual(['KitAuthOtelModule']);
});
