import { expect, it } from '@jest/globals';
import * as kitAuthBrowser from './index.js';

it('kit-auth-browser exports these names and no other', () => {
  expect(Object.keys(kitAuthBrowser).sort()).toEqual(['KitAuthBrowserModule', 'SameOrigin']);
});
