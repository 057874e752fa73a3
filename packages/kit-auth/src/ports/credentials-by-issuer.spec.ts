import { describe, expect, it, jest } from '@jest/globals';
import type { AuthCredential } from '../contract/auth-credential.js';
import { CredentialsByIssuer } from './credentials-by-issuer.js';

const ISSUER = 'https://login.example.com';
const OTHER = 'https://other.example.com:8443/realms/one';

const credential = (scheme: string, ways: object): AuthCredential => ({
  scheme,
  resolve: jest.fn<never>(),
  ...ways,
});
const one = credential('one', { issuers: [ISSUER, 'plain'] });
const two = credential('two', { issuers: [OTHER] });
const credentials = [one, credential('key', { prefix: 'key_' }), two];

const encoded = (part: string | Buffer) => Buffer.from(part).toString('base64url');
const HEADER = encoded('{"alg":"none"}');
const token = (payload: string | Buffer, signature = 'c2ln') => `${HEADER}.${encoded(payload)}.${signature}`;
const of = (text: string) => new CredentialsByIssuer(credentials).of(text)?.scheme;
const ofIssuer = (iss: unknown) => of(token(JSON.stringify({ sub: '7', iss })));

describe('the issuer of a JWT', () => {
  it('finds its credential, without a look at the signature', () => {
    expect([ISSUER, 'plain', OTHER].map(ofIssuer)).toEqual(['one', 'one', 'two']);
    expect(of(token(JSON.stringify({ iss: ISSUER }), ''))).toBe('one');
    expect(of(token(`  {"nonsense":[{}],\n"iss" : "${ISSUER}"}`))).toBe('one');
    expect(of(token(String.raw`{"iss":"https:\/\/login.example\u002ecom"}`))).toBe('one');
  });

  const secure = (changed: string) => ISSUER.replace('https', changed);
  it.each<[string, unknown[]]>([
    ['absent or unknown', [undefined, '', 'https://example.com']],
    ['no text', [[ISSUER], [ISSUER, OTHER], { iss: ISSUER }, null, 7, true]],
    ['a name of a prototype', ['__proto__', 'constructor']],
    ['at another port', [`${ISSUER}:443`, OTHER.replace(':8443', '')]],
    ['at another path', [`${ISSUER}/`, OTHER.replace('one', 'two'), 'https://other.example.com:8443']],
    ['in upper case', [ISSUER.toUpperCase(), secure('HTTPS')]],
    ['with another scheme, a query or a fragment', [secure('http'), `${ISSUER}?`, `${ISSUER}#`]],
    ['with a user', [ISSUER.replace('//', '//login@')]],
    ['with spaces or control characters', [`${ISSUER} `, ` ${ISSUER}`, `${ISSUER}\n`, `${ISSUER}\0`]],
    ['with letters that look the same', [ISSUER.replace('o', '\u043e'), ISSUER.replace('.', '%2E')]],
    ['with a dot behind its host', [`${ISSUER}.`]],
  ])('is that of the provider if it is %s', (_what, issuers) => {
    expect(issuers.filter((iss) => ofIssuer(iss) !== undefined)).toEqual([]);
  });

  it.each<[string, string]>([
    ['a list', `[{"iss":"${ISSUER}"}]`],
    ['null', 'null'],
    ['a text', `"${ISSUER}"`],
    ['no JSON', `{"iss":"${ISSUER}"`],
    ['two objects', `{"iss":"${ISSUER}"}{}`],
    ['an object whose prototype has the issuer', `{"__proto__":{"iss":"${ISSUER}"}}`],
    ['an object that has the issuer further down', `{"a":{"iss":"${ISSUER}"}}`],
  ])('is that of the provider if the payload is %s', (_what, payload) => {
    expect(of(token(payload))).toBeUndefined();
  });

  // Whoever resolves such a token refuses it, because its payload is not the JSON that they have written or can read.
  it('that occurs twice is the last', () => {
    expect(of(token(`{"iss":"${ISSUER}","iss":"${OTHER}"}`))).toBe('two');
    expect(of(token(`{"iss":"${ISSUER}","iss":"x"}`))).toBeUndefined();
  });

  const text = token(`{"iss":"${ISSUER}"}`);
  const [, payload = ''] = text.split('.');
  it.each<[string, string]>([
    ['is empty', ''],
    ['is an API key', 'key_1'],
    ['has two parts', text.slice(0, text.lastIndexOf('.'))],
    ['has four parts', `${text}.x`],
    ['has five parts', `${text}.x.x`],
    ['has no header', text.slice(text.indexOf('.'))],
    ['begins with spaces', ` ${text}`],
    ['begins with another header', `${encoded(' {"alg":"none"}')}.${payload}.c2ln`],
    ['has padding', text.replace(payload, `${payload}=`)],
    ['has another character in its payload', text.replace(payload, `${payload}A`)],
    ['has spare bits in its payload', text.replace(payload, payload.replace(/0$/, '1'))],
    ['has other characters', text.replace(payload, `${payload}\u00e9`)],
    ['has a line feed behind', `${text}\n`],
    ['has a comma behind', `${text},${text}`],
  ])('is that of the provider if the token %s', (_what, other) => {
    expect([of(text), of(other)]).toEqual(['one', undefined]);
  });

  it('is read in tokens of at most 12,288 characters', () => {
    const most = 'A'.repeat(12_288 - token(`{"iss":"${ISSUER}"}`, '').length);
    expect(of(token(`{"iss":"${ISSUER}"}`, most))).toBe('one');
    expect(of(token(`{"iss":"${ISSUER}"}`, `${most}A`))).toBeUndefined();
  });

  it.each<[string, string]>([
    ['lists', `{"iss":"${ISSUER}","a":${'['.repeat(1000)}${']'.repeat(1000)}}`],
    ['objects', `{"iss":"${ISSUER}","a":${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}}`],
  ])('is read beside %s in a nesting of 1,000', (_what, payload) => {
    expect(of(token(payload))).toBe('one');
  });
});

describe('the answers', () => {
  /** How often a token is read, and what is found. */
  function counting() {
    const parse = jest.spyOn(JSON, 'parse');
    return { read: () => parse.mock.calls.length, end: () => parse.mockRestore() };
  }

  it('are kept, also those for tokens of the provider', () => {
    const all = new CredentialsByIssuer([one]);
    const own = token('{"sub":"7"}');
    const { read, end } = counting();
    const other = token(`{"iss":"${ISSUER}"}`);
    const answers = [own, own, own, ISSUER, other, other].map((text) => all.of(text)?.scheme);
    expect([answers, read()]).toEqual([[undefined, undefined, undefined, undefined, 'one', 'one'], 2]);
    end();
  });

  it.each([
    [4_194_304, 342],
    [4_194_305, 2 * 342],
  ])('are kept for tokens of at most 4,194,304 characters: %i', (characters, reads) => {
    const all = new CredentialsByIssuer([one]);
    const texts = Array.from({ length: 341 }, (_, i) => `eyJ${i}`.padEnd(12_288, 'x'));
    texts.push('eyJ'.padEnd(characters - 341 * 12_288, 'x'));
    const { read, end } = counting();
    [...texts, ...texts].forEach((text) => all.of(text));
    expect(read()).toBe(reads);
    ['eyJa', 'eyJb', 'eyJa', 'eyJb'].forEach((text) => all.of(text)); // then for new ones
    expect(read()).toBe(reads + 2);
    end();
  });

  // Each fills the memory more than once.
  it.each<[string, number, (i: number) => string]>([
    ['short', 22_000, (i) => `eyJ${i}`],
    ['long', 1_000, (i) => `eyJ${i}`.padEnd(12_288, 'x')],
    ['of unknown issuers', 22_000, (i) => token(`{"iss":"https://${i}.example.com"}`)],
  ])('take little memory, even if all tokens are %s', (_what, count, textOf) => {
    const all = new CredentialsByIssuer([one]);
    const known = all['known'];
    let most = 0;
    let characters = 0;
    for (let i = 0; i < count; i++) {
      all.of(textOf(i));
      most = Math.max(most, known.size);
    }
    for (const text of known.keys()) {
      characters += text.length;
    }
    expect(most).toBeLessThan(11_000);
    expect(characters).toBeLessThan(4_200_000);
    expect(all.of(token(`{"iss":"${ISSUER}"}`))).toBe(one);
  });
});
