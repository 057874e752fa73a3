import { expect, it } from '@jest/globals';
import { sharedDatabase, type TestApp, testApp } from 'test-support';
import { KitAuthFactorsModule } from '../index.js';
import { AuthTotp } from '../stores/factor.entities.js';
import { enrolFactor } from '../testing.js';
import { DeviceCodes } from './device.codes.js';

const OLD = 'the old key, of at least 32 bytes';
const NEW = 'the new key, of at least 32 bytes';

it('encrypts a device with the first key when it is used, so that the old key can go', async () => {
  const database = sharedDatabase('sqlite');
  const start = (...keys: string[]) =>
    testApp({ database, imports: [KitAuthFactorsModule.forRoot({ keys, issuer: 'App' })] });
  const secretIn = async (app: TestApp) => (await app.rowsOf(AuthTotp).findOneByOrFail({ id })).secret;
  await database.recreate();
  const before = await start(OLD);
  const { id: userId } = await before.user();
  const { id, code } = await enrolFactor(before.nest, userId);
  const sealed = await secretIn(before);

  const both = await start(NEW, OLD);
  expect(await both.get(DeviceCodes).use(userId, '000000')).toBe('wrong');
  expect(await secretIn(both)).toBe(sealed);
  expect(await both.get(DeviceCodes).use(userId, await code())).toBe('right');
  const renewed = await secretIn(both);
  expect(renewed.slice(0, 8)).not.toBe(sealed.slice(0, 8));
  expect(await both.get(DeviceCodes).use(userId, await code())).toBe('right');
  expect(await secretIn(both)).toBe(renewed);

  const after = await start(NEW);
  expect(await after.get(DeviceCodes).use(userId, await code())).toBe('right');
  expect(await before.get(DeviceCodes).use(userId, await code())).toBe('unreadable');
});
