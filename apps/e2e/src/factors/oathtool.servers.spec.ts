import { execFileSync } from 'node:child_process';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { BOTH, freezeDate, sharedTestApp } from 'test-support';
import { type Device, FactorsApp, outcomeOf, STEP_MS } from './app.js';

/** The code that another implementation of RFC 6238 shows now. */
function oathtool(secret: string): string {
  const now = `${new Date().toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  return execFileSync('oathtool', ['--totp', '--base32', `--now=${now}`, secret], {
    encoding: 'utf8',
  }).trim();
}

/** See `.ci/oathtool`. */
describe.each(BOTH)('the codes of oathtool on %s', (platform) => {
  const app = sharedTestApp(new FactorsApp({ platform }));
  let pass: (milliseconds: number) => void;
  beforeEach(() => {
    pass = freezeDate(1_900_000_000_000);
  });

  it('confirm a device, log in, and confirm the login', async () => {
    const user = await app.user();
    const token = await app.tokenOf(user);
    const added = await app.call(token, 'POST', 'factors/totp', { name: 'Phone' });
    const device = added.json as Device & { uri: string };
    const secret = new URL(device.uri).searchParams.get('secret')!;
    expect(outcomeOf(await app.confirm(token, device, oathtool(secret)))).toBe('200');
    for (let i = 0; i < 10; i++) {
      pass(STEP_MS * (i + 1));
      expect(await app.outcomeOfLogin(user, oathtool(secret))).toBe('200');
    }
    pass(STEP_MS);
    const { json } = await app.answer(await app.challenge(user), oathtool(secret));
    pass(STEP_MS);
    expect(outcomeOf(await app.fresh(json.token, oathtool(secret)))).toBe('200');
    pass(STEP_MS);
    const old = oathtool(secret);
    pass(2 * STEP_MS);
    expect(await app.outcomeOfLogin(user, old)).toBe('40113');
  });
});
