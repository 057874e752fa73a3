import { createPrivateKey, createPublicKey, type JsonWebKey, sign, verify } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { freezeDate, kitAuth } from 'test-support';

interface Printed {
  readonly kid: string;
  readonly alg: string;
  readonly key: JsonWebKey;
}

const NOW = Date.parse('2026-11-27T23:59:00Z');

async function jwtKey(...options: string[]) {
  const { code, stdout, stderr } = await kitAuth(['jwt-key', ...options]);
  expect(code).toBe(0);
  return { stdout, stderr, printed: JSON.parse(stdout) as Printed };
}

describe('kit-auth jwt-key', () => {
  beforeEach(() => void freezeDate(NOW));
  afterEach(() => void jest.useRealTimers());

  it('prints one line of JSON with a key named after the day, and the steps elsewhere', async () => {
    const { stdout, stderr, printed } = await jwtKey();
    expect(stdout).toMatch(/^\{.*\}\n$/);
    expect(Object.keys(printed)).toEqual(['kid', 'alg', 'key']);
    expect(printed).toMatchObject({ kid: '2026-11-27', alg: 'EdDSA', key: { kty: 'OKP', crv: 'Ed25519' } });
    expect(stderr.match(/^\d\. .+$/gm)).toEqual([
      expect.stringContaining('"next": true'),
      expect.stringContaining('first, without "next"'),
      expect.stringContaining('remove the old key'),
    ]);
  });

  it.each([
    ['EdDSA', { crv: 'Ed25519' }],
    ['ES256', { crv: 'P-256' }],
    ['RS256', { e: 'AQAB', n: expect.stringMatching(/^[\w-]{342}$/) }],
  ])('prints a private key for %s', async (alg, members) => {
    const { printed } = await jwtKey(`--alg=${alg}`, '--kid=2027_spring.eu-1');
    expect(printed).toMatchObject({ kid: '2027_spring.eu-1', alg, key: members });
    const key = createPrivateKey({ key: printed.key, format: 'jwk' });
    const hash = alg === 'EdDSA' ? null : 'sha256';
    const signature = sign(hash, Buffer.from('x'), key);
    expect(verify(hash, Buffer.from('x'), createPublicKey(key), signature)).toBe(true);
  });

  it('prints JSON without the steps', async () => {
    const { stderr, printed } = await jwtKey('--json');
    expect(stderr).toBe('');
    expect(printed).toMatchObject({ kid: '2026-11-27', alg: 'EdDSA', key: { d: expect.any(String) } });
  });

  it.each([
    [['--alg=HS256'], '`npx kit-auth secret` prints a secret for it.'],
    [['--alg=PS256'], 'There is no algorithm "PS256" for keys. There are: EdDSA, ES256, RS256.'],
    [['--alg=constructor'], 'There is no algorithm "constructor"'],
    [['--alg'], 'The option --alg needs a value: --alg=<name>'],
    [['--kid='], 'A kid has 1 to 64 letters'],
    [[`--kid=${'a'.repeat(65)}`], 'A kid has 1 to 64 letters'],
  ])('exits with 2 for %j', async (options, message) => {
    const { code, stdout, stderr } = await kitAuth(['jwt-key', ...options]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});
