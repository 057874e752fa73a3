import { expect, it } from '@jest/globals';
import { addressForNotices } from './pending-changes.js';

const ADDRESS = { address: 'Ada@Example.com', key: 'ada@example.com' };
const WANTED = { address: 'New@Example.com', key: 'new@example.com' };

it.each<[string, string, typeof ADDRESS | undefined, string | undefined]>([
  ['the present address', 'bob@example.com', ADDRESS, ADDRESS.address],
  ['the username of a user without an address', ADDRESS.address, undefined, ADDRESS.address],
  ['nobody where the username is no address', 'ada', undefined, undefined],
  ['nobody but the wanted address', 'NEW@example.com', undefined, undefined],
  ['nobody where the present address is the wanted one', ADDRESS.address, WANTED, undefined],
])('a notice about a new address goes to %s', (_, username, present, to) => {
  expect(addressForNotices(username, present, WANTED)).toBe(to);
});
