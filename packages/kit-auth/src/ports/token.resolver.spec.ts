import { describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { loginUser, published } from 'test-support';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import type { LoginUser } from '../contract/login-user.js';
import type { Ports } from './ports.js';
import { TokenResolver } from './token.resolver.js';

Logger.overrideLogger(false);

const credential = {
  scheme: 'key',
  prefix: 'key_',
  resolve: () => ({ user: loginUser(), proof: { factors: {} } }),
};

function resolver(provider: object, more: object = {}): TokenResolver {
  const ports = {
    idType: 'number',
    requireProvider: () => ({ extensionName: 'stub', ...provider }),
    returningErrors: (found: object) => found,
    credentialOf: (token: string) => (token.startsWith('key_') ? credential : undefined),
    ...more,
  };
  return new TokenResolver(ports as unknown as Ports);
}

/** Resolves a token to what the provider returns. */
const resolve = (login: unknown, idType = 'number') =>
  resolver({ resolve: () => login }, { idType }).resolve('t');

describe('TokenResolver', () => {
  const user = loginUser();

  it('asks the provider, with proof where it keeps it', async () => {
    const proof = { factors: { password: 1 } };
    const withProof = resolver({ resolve: () => ({ user, proof }), resolveToken: () => undefined });
    expect(withProof.resolve('t')).toEqual({
      user,
      proof,
      scheme: 'stub',
      token: 't',
      credential: undefined,
    });
    expect(resolver({ resolveToken: () => user }).resolve('t')).toMatchObject({
      user,
      proof: { factors: {} },
    });
    const later = resolver({ resolveToken: async () => user }).resolve('t');
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toMatchObject({ user, scheme: 'stub' });
  });

  it('asks the credential whose prefix a token has', () => {
    const failing = { resolve: () => Promise.reject(new Error('not asked')) };
    expect(resolver(failing).resolve('key_1')).toMatchObject({ scheme: 'key', token: 'key_1', credential });
  });

  it('takes the owner from a credential, and from nothing else', () => {
    const owner = loginUser({ roles: ['clerk'] });
    const login = (more: object) => ({ user, proof: { factors: {} }, ...more });
    const ofKey = (more: object) => {
      const found = { ...credential, resolve: () => login(more) };
      return resolver({}, { credentialOf: () => found }).resolve('key_1');
    };
    expect(ofKey({ owner })).toMatchObject({ user, owner });
    expect([owner, owner.roles].every(Object.isFrozen)).toBe(true);
    expect(ofKey({})).toHaveProperty('owner', undefined);
    expect(() => ofKey({ owner: 'ada' })).toThrow(expect.objectContaining({ code: 40101 }));
    expect(resolve(login({ owner }))).not.toHaveProperty('owner');
  });

  it('gives a credential the request, and its own tokens', () => {
    const asked: unknown[][] = [];
    const own = { ...credential, resolve: (...args: unknown[]) => (asked.push(args), credential.resolve()) };
    const all = resolver({}, { credentialOf: () => own });
    const request = { method: 'GET', url: '/', headers: {}, rawHeaders: [] };
    void all.resolve('key_1', request);
    void all.resolve('key_2');
    expect(all.resolve({ token: 'a', credential: own }, { raw: request })).toMatchObject({
      scheme: 'key',
      token: 'a',
    });
    expect(asked).toMatchObject([
      ['key_1', request],
      ['key_2', undefined],
      ['a', request],
    ]);
  });

  it('checks the login of a token, but not that of a credential', async () => {
    const over = new AuthException(AuthErrorCode.TOKEN_INVALID);
    const logins = { check: () => Promise.reject(over) };
    const checked = resolver({ resolveToken: () => user }, { logins });
    await expect(checked.resolve('t')).rejects.toBe(over);
    expect(checked.resolve('key_1')).toMatchObject({ scheme: 'key' });
    const live = resolver({ resolveToken: () => user }, { logins: { check: () => undefined } });
    expect(live.resolve('t')).toMatchObject({ token: 't' });
  });

  it('throws a refusal that the provider or the credential returns, unless the guard asks', () => {
    const refusal = new AuthException(AuthErrorCode.TOKEN_INVALID);
    const refusing = { resolve: () => refusal, resolveToken: () => refusal };
    const keys = { credentialOf: () => ({ ...credential, resolve: () => refusal }) };
    for (const refused of [
      resolver(refusing),
      resolver({ resolveToken: () => refusal }),
      resolver({}, keys),
    ]) {
      expect(refused.attempt('t')).toBe(refusal);
      expect(() => refused.resolve('t')).toThrow(refusal);
    }
  });

  it('says on the diagnostics channel with which scheme', async () => {
    const heard = await published<{ scheme: string }>('tracing:kit-auth:resolve:start', () => {
      void resolver({ resolveToken: () => user }).resolve('t');
      void resolver({ resolveToken: () => user }).resolve('key_1');
    });
    expect(heard.map(({ scheme }) => scheme)).toEqual(['stub', 'key']);
  });

  it('freezes users, so that no handler changes what another request sees', () => {
    const given = loginUser({ roles: ['a'], data: { quota: { notes: [1] } } });
    const { user: resolved } = resolve({ user: given, proof: { factors: {} } }) as { user: LoginUser };
    const { roles, permissions, data } = resolved;
    const quota = data?.['quota'] as { notes: number[] };
    for (const part of [resolved, roles, permissions, data, quota, quota.notes]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['no user', { proof: { factors: {} } }],
    ['no proof', { user }],
    ['no factors', { user, proof: {} }],
    ['factors that are null', { user, proof: { factors: null } }],
    ...Object.entries({
      userId: '7',
      username: 1,
      nickname: null,
      superAdmin: 'yes',
      roles: 'a',
      permissions: undefined,
    }).map<[string, unknown]>(([name, value]) => [
      `a user whose ${name} is ${String(value)}`,
      { user: { ...user, [name]: value }, proof: { factors: {} } },
    ]),
  ])('refuses %s', (_what, login) => {
    expect(() => resolve(login)).toThrow(expect.objectContaining({ code: 40101 }));
  });

  it('says in the log which implementation does not resolve tokens to users', () => {
    const error = jest.fn<(line: string) => void>();
    Logger.overrideLogger({ error, log: error, warn: error });
    try {
      expect(() => resolve({ user: 'ada' })).toThrow(AuthException);
    } finally {
      Logger.overrideLogger(false);
    }
    expect(error.mock.calls.map(([line]) => line)).toEqual([
      '[auth] stub resolved a token to something that is not a user',
    ]);
  });

  it('takes ids of the type of the user store', () => {
    const login = (userId: unknown) => ({ user: { ...user, userId }, proof: { factors: {} } });
    expect(resolve(login('ada'), 'string')).toMatchObject({ user: { userId: 'ada' } });
    expect(() => resolve(login(''), 'string')).toThrow(AuthException);
    expect(() => resolve(login(7), 'string')).toThrow(AuthException);
  });
});
