import { expect, it } from '@jest/globals';
import type { AuthAction } from 'kit-auth';
import type { ActiveUserStore } from 'kit-auth/extend';
import type { ResolvedKeysOptions } from '../config/keys.options.js';
import type { KeyStore } from '../stores/key.store.js';
import { ApiKeys } from './api-keys.js';

it.each([
  [[], []],
  [['a'], [{ type: 'key-ended', subjectId: 7, subject: 'ada', detail: 'all: a' }]],
  [['a', 'b'], [{ type: 'key-ended', subjectId: 7, subject: 'ada', detail: 'all: a, b' }]],
])('the end of all keys of a user is one event, if there were any: %j', async (ids, expected) => {
  const noted: unknown[] = [];
  const change = { note: async (event: unknown) => void noted.push(event) };
  const users = { transaction: (_action: unknown, work: (open: object) => unknown) => work(change) };
  const store = { endAllOf: async () => ids };
  const keys = new ApiKeys(
    {} as ResolvedKeysOptions,
    store as unknown as KeyStore,
    users as unknown as ActiveUserStore,
  );
  expect(await keys.endAll({} as AuthAction, { userId: 7, username: 'ada' }, 'kicked')).toEqual(ids);
  expect(noted).toEqual(expected);
});
