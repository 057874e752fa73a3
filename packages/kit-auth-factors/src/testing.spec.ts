import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { freezeDate, type TestApp, testApp } from 'test-support';
import { KitAuthFactorsModule } from './index.js';
import { enrolFactor } from './testing.js';

const KEY = 'a key of at least 32 bytes, for tests of factors';

function start(window = 1): Promise<TestApp> {
  return testApp({
    imports: [KitAuthFactorsModule.forRoot({ keys: [KEY], issuer: 'App', totp: { window } })],
  });
}

async function loginWith(app: TestApp, username: string, code: string, factor = 'totp'): Promise<number> {
  const { json } = await app.login(username);
  const answer = await app.call(undefined, 'POST', 'login/factor', {
    challenge: json.challenge,
    factor,
    code,
  });
  return answer.json.code ?? answer.status;
}

describe('enrolFactor', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([0, 1, 2])(
    'makes codes for any number of logins at one moment, with a window of %d',
    async (window) => {
      const app = await start(window);
      const user = await app.user();
      freezeDate();
      const factor = await enrolFactor(app.nest, user.id);
      for (let login = 1; login <= 4; login++) {
        const code = await factor.code();
        expect(await loginWith(app, user.username, code)).toBe(200);
        expect(await loginWith(app, user.username, code)).toBe(40113);
      }
    },
  );

  it('makes recovery codes with the first device', async () => {
    const app = await start();
    const user = await app.user();
    const { recoveryCodes } = await enrolFactor(app.nest, user.id, { name: 'Phone' });
    expect(recoveryCodes).toHaveLength(10);
    expect((await enrolFactor(app.nest, user.id)).recoveryCodes).toEqual([]);
    expect(await loginWith(app, user.username, recoveryCodes[0] ?? '', 'recovery')).toBe(200);
    expect(await loginWith(app, user.username, recoveryCodes[0] ?? '', 'recovery')).toBe(40113);
  });
});
