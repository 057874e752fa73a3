/** @own-context because it replaces a module */
import { beforeEach, expect, it, jest } from '@jest/globals';
import type { JwtKey, KitAuthSettings } from 'kit-auth';
import { loginUser, pairOf } from 'test-support';

/** As where it is not installed. */
const load = jest.fn(() => {
  throw Object.assign(new Error("Cannot find package '@nestjs/jwt'"), { code: 'ERR_MODULE_NOT_FOUND' });
});
jest.unstable_mockModule('@nestjs/jwt', load);

const { JwtCodec } = await import('./jwt.codec.js');
const { JwtKeys } = await import('./jwt.keys.js');

beforeEach(() => {
  load.mockClear();
});

function issue(key: JwtKey): Promise<string> {
  const settings = { jwt: { issuer: 'us', keys: [key] }, extensionTimeoutMs: 5000 };
  return new JwtCodec(new JwtKeys(settings as unknown as KitAuthSettings)).encode(
    loginUser({ userId: 7 }),
    60,
  );
}

it('issues tokens of a key pair without @nestjs/jwt', async () => {
  expect(await issue({ kid: 'a', alg: 'EdDSA', key: pairOf('EdDSA').privateKey })).toMatch(/^eyJ/);
  expect(load).not.toHaveBeenCalled();
});

it('names the package that a secret needs', async () => {
  await expect(issue({ kid: 'a', alg: 'HS256', key: 's'.repeat(32) })).rejects.toThrow(
    'kit-auth-jwt cannot load @nestjs/jwt. Install @nestjs/jwt@12 with Nest 12',
  );
});
