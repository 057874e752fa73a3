import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AuthUser } from 'kit-auth/typeorm';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { EVERYWHERE, freezeDate, sharedTestApp } from 'test-support';
import { codeOf, FactorsApp, outcomeOf, STEP_MS } from '../factors/app.js';

const BODY = { name: 'Script', abilities: ['auth:user:read'] };

describe.each(EVERYWHERE)('API keys beside second factors on $platform with $provider', (where) => {
  const app = sharedTestApp(
    new FactorsApp({ ...where, factors: { requiredFor: ['clerk'] }, imports: [KitAuthKeysModule] }),
  );
  let pass: (milliseconds: number) => void;
  let clerk: AuthUser;
  let token: string;
  beforeEach(async () => {
    pass = freezeDate();
    const role = await app.roles.findOneBy({ code: 'clerk' });
    clerk = await app.user({
      roles: [role ?? (await app.role({ code: 'clerk', permissions: ['auth:user:read'] }))],
    });
    token = await app.tokenOf(clerk);
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  const create = (as: string) => app.call(as, 'POST', 'keys', BODY);

  it('wait for the second factor that is required, like everything', async () => {
    expect(outcomeOf(await create(token))).toBe('40303');
    expect(outcomeOf(await app.call(token, 'GET', 'keys'))).toBe('40303');
    const enrolled = await app.enrol(token);
    const { json } = await create(enrolled.token);
    // 40304: the key is asked for no factor; it may not call endpoints of ours.
    expect(await app.codeOf(json.key, '/v1/proof')).toBe(40304);
  });

  it('are shown no challenge, and answer none', async () => {
    const { device, token: enrolled, recoveryCodes } = await app.enrol(token);
    const { key } = (await create(enrolled)).json as { key: string };
    pass(STEP_MS);
    for (const [method, path, json] of [
      ['GET', 'factors', undefined],
      ['POST', 'factors/totp', { name: 'Theirs' }],
      ['POST', `factors/totp/${device.id}/confirm`, { code: codeOf(device) }],
      ['POST', 'factors/recovery', undefined],
      ['DELETE', `factors/${device.id}`, undefined],
      ['DELETE', `users/${clerk.id}/factors`, undefined],
      ['POST', 'fresh', { factor: 'totp', code: codeOf(device) }],
    ] as const) {
      expect([path, outcomeOf(await app.call(key, method, path, json))]).toEqual([path, '40304']);
    }
    expect(await app.rowsAbout(clerk)).toEqual({ devices: 1, recoveryCodes: 10 });
    expect(await app.outcomeOf(key, codeOf(device))).toBe('40113 challenge-ended');
    expect(await app.outcomeOfLogin(clerk, recoveryCodes[0], 'recovery')).toBe('200');
    expect(await app.outcomeOfLogin(clerk, codeOf(device))).toBe('200');
  });
});
