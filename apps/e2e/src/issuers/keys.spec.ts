import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Issuer } from 'kit-auth-issuers';
import { AUDIENCE, freezeDate, IssuerKey, JWKS_PATH, sharedJwksServer, until } from 'test-support';
import { HostileIssuersApp } from './hostile-issuers-app.js';

const DISCOVERY = '/realms/one/.well-known/openid-configuration';
const AWAY = '50300 undefined';

const server = sharedJwksServer('/realms/one');
let advance: (milliseconds: number) => void;
let app: HostileIssuersApp;

beforeEach(() => {
  advance = freezeDate();
});

/** An application that accepts tokens of the server. The test's end closes it. */
async function start(...others: Issuer[]): Promise<void> {
  app = await new HostileIssuersApp({
    issuers: () => ({ issuers: [server.settings({ user: { claims: {} } }), ...others] }),
  }).start();
}

/** A token that lives for longer than the keys are kept. */
const token = (key = server.key, more: Readonly<Record<string, unknown>> = {}) =>
  server.token({ key, claims: { exp: Math.floor(Date.now() / 1000) + 12 * 3600, ...more } });
const state = (text = token()) => app.stateOf(text);
const fetched = (times: number) => until(() => server.fetches >= times || undefined);

describe('an issuer that', () => {
  it('is away is found without a restart, and concerns no other token', async () => {
    server.handlers[DISCOVERY] = (_request, response) => void response.destroy();
    await start();
    const { status, json, headers } = await app.request('/v1/notes', { token: token() });
    expect([status, json.code, headers['retry-after']]).toEqual([503, 50300, '1']);
    expect([await state(), server.calls]).toEqual([AWAY, { [DISCOVERY]: 1 }]);
    expect(app.logs.all()).toMatch(/\[issuers\] no keys from /);
    expect(await state(await app.issueToken({ userId: '7' as never }))).toBe('live');
    server.reset();
    advance(30_000);
    await state();
    await until(() => app.logs.all().includes('available again') || undefined);
    expect(await state()).toBe('live');
  });

  it('hangs neither concerns other issuers nor keeps the application from closing', async () => {
    server.handlers[JWKS_PATH] = () => undefined;
    const [key, issuer] = [new IssuerKey('one'), 'https://login.example.com'];
    await start({ issuer, audience: AUDIENCE, user: { claims: {} }, jwks: { keys: [key.jwk] } });
    const waiting = state();
    expect(await state(token(key, { iss: issuer }))).toBe('live');
    await fetched(1);
    await Promise.all([app.close(), waiting.catch(() => undefined)]);
    expect(app.logs.all()).not.toContain('no keys from');
  });
});
