import { describe, expect, it } from '@jest/globals';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { KitAuthKeysModule } from 'kit-auth-keys';
import {
  freezeDate,
  type Implementation,
  type Import,
  optionsFor,
  sweepOf,
  testApp,
  TOKENS,
} from 'test-support';
import { KEY } from './app.js';
import { Statements } from '../database/statements.js';

const FACTORS = () => KitAuthFactorsModule.forRoot({ keys: [KEY], issuer: 'Example' });
const PACKAGES: Record<string, () => Import[]> = {
  keys: () => [KitAuthKeysModule],
  both: () => [FACTORS(), KitAuthKeysModule],
};

/** How many statements a login, a request and a malformed key cost. */
async function costsOf(tokens: Implementation, packages: readonly Import[]) {
  const statements = new Statements();
  const app = await testApp({ ...optionsFor(tokens, ...packages), database: statements.on() });
  const { username } = await app.user();
  const token = await app.tokenOf(username);
  await app.codeOf(token);
  const count = async (call: () => Promise<unknown>) => (await statements.of(call)).length;
  return {
    login: await count(() => app.login(username)),
    request: await count(() => app.codeOf(token)),
    junk: await count(() => app.codeOf('kapk_x_y_z')),
  };
}

describe.each(sweepOf(TOKENS, ['jwt', 'stateful sessions']))('with %s', (tokens) => {
  it('second factors cost one look-up at a login, keys none, and neither any in requests', async () => {
    freezeDate();
    const neither = await costsOf(tokens, []);
    expect(neither.request).toBe(tokens.endsWith('sessions') ? 1 : 0);
    for (const [name, packages] of Object.entries(PACKAGES)) {
      const { login, request, junk } = await costsOf(tokens, packages());
      const atLogin = neither.login + (name === 'both' ? 1 : 0);
      expect([name, login, request, junk]).toEqual([name, atLogin, neither.request, 0]);
    }
  });
});
