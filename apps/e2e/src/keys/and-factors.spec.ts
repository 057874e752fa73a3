import { expect, it } from '@jest/globals';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { freezeDate } from 'test-support';
import { codeOf, FactorsApp, outcomeOf, STEP_MS } from '../factors/app.js';

it('a key needs the second factor of its owner when it is created, and shows none later', async () => {
  const factors = { requiredFor: ['clerk'] };
  const app = await new FactorsApp({ factors, imports: [KitAuthKeysModule] }).start();
  const pass = freezeDate();
  await app.role({ code: 'clerk', permissions: ['auth:user:read'] });
  const clerk = await app.user({ roles: ['clerk'] });
  const token = await app.tokenOf(clerk);
  const create = (as: string) =>
    app.call(as, 'POST', 'keys', { name: 'Script', abilities: ['auth:user:read'] });
  expect(outcomeOf(await create(token))).toBe('40303');
  expect(outcomeOf(await app.call(token, 'GET', 'keys'))).toBe('40303');
  const { device, token: enrolled } = await app.enrol(token);
  const { key } = (await create(enrolled)).json as { key: string };
  // 40304: the key is asked for no factor; it may not call this route.
  expect(await app.codeOf(key, '/v1/proof')).toBe(40304);
  pass(STEP_MS);
  expect(outcomeOf(await app.fresh(key, codeOf(device)))).toBe('40304');
  expect(await app.outcomeOf(key, codeOf(device))).toBe('40113 challenge-ended');
  expect(await app.outcomeOfLogin(clerk, codeOf(device))).toBe('200');
});
