import { describe, expect, it } from '@jest/globals';
import type { JwtKey, KitAuthSettings } from 'kit-auth';
import { pairOf } from 'test-support';
import { JwtKeys } from './jwt.keys.js';
import { JwksAnswer, publishesKeys, publishesWellKnown } from './jwks.controller.js';

const PUBLIC: JwtKey = { kid: 'a', alg: 'EdDSA', key: pairOf('EdDSA').privateKey };
const SECRET: JwtKey = { kid: 'b', alg: 'HS256', key: 's'.repeat(32) };
const settingsOf = (jwt: object) => ({ jwt, extensionTimeoutMs: 5000 }) as unknown as KitAuthSettings;

describe('the keys of an application', () => {
  it.each<[string, object, boolean, boolean]>([
    ['without keys', {}, false, false],
    ['with a secret alone', { keys: [SECRET], jwks: { wellKnown: true } }, false, false],
    ['with jwks: false', { keys: [PUBLIC], jwks: false }, false, false],
    ['with a key pair', { keys: [SECRET, PUBLIC], jwks: true }, true, false],
    ['with wellKnown: false', { keys: [PUBLIC], jwks: { wellKnown: false } }, true, false],
    ['with wellKnown', { keys: [PUBLIC], jwks: { wellKnown: true } }, true, true],
  ])('are published or not: %s', (_which, jwt, published, wellKnown) => {
    const settings = settingsOf(jwt);
    expect([publishesKeys(settings), publishesWellKnown(settings)]).toEqual([published, wellKnown]);
  });

  it('are not published without the core', () => {
    expect([publishesKeys(), publishesWellKnown()]).toEqual([false, false]);
  });

  it('are not sent again to those who have them', () => {
    const answer = new JwksAnswer(new JwtKeys(settingsOf({ issuer: 'us', keys: [PUBLIC] })));
    const answered = (known?: string) => {
      const headers: Record<string, string> = {};
      let status = 200;
      const body = answer.to(known, {
        header: (name, value) => (headers[name] = value),
        status: (code) => (status = code),
      });
      return { status, body, headers };
    };
    const { body, headers } = answered();
    const tag = headers['ETag'];
    expect([JSON.parse(body ?? '').keys.length, tag]).toEqual([1, expect.stringMatching(/^"[\w-]{43}"$/)]);
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*', ' * ']) {
      expect(answered(known)).toMatchObject({ status: 304, body: undefined, headers: { ETag: tag } });
    }
    for (const known of ['"other"', '', `x${tag}`]) {
      expect(answered(known)).toEqual({ status: 200, body, headers });
    }
  });
});
