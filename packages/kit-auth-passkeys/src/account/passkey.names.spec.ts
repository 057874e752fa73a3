import { expect, it } from '@jest/globals';
import { defaultNameOf } from './passkey.names.js';

const ONE_PASSWORD = 'bada5566-a7aa-401f-bd96-45619a55120d';

it.each<[string, string[], string]>([
  [ONE_PASSWORD, [], '1Password'],
  [ONE_PASSWORD, ['1Password'], '1Password 2'],
  [ONE_PASSWORD, ['1Password', '1Password 2', '1Password 4'], '1Password 3'],
  [ONE_PASSWORD, ['Passkey'], '1Password'],
  ['00000000-0000-0000-0000-000000000000', [], 'Passkey'],
  ['00000000-0000-0000-0000-000000000000', ['Passkey'], 'Passkey 2'],
])('a passkey of the authenticator %s beside %j is named %s', (aaguid, taken, expected) => {
  expect(defaultNameOf(aaguid, taken)).toBe(expected);
});
