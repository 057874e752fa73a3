import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { AntPattern, antPatternProblem } from '../../../packages/kit-auth/src/routes/ant-pattern.js';
import { plainPath } from '../../../packages/kit-auth/src/routes/paths.js';
import { Addressing } from '../../../packages/kit-auth-jwt/src/addressing.js';
import { JwtCodec } from '../../../packages/kit-auth-jwt/src/jwt.codec.js';
import { ringOfSecret } from '../../../packages/kit-auth-jwt/src/jwt.keys.js';
import { MIN_SECRET_BYTES } from '../../../packages/kit-auth-jwt/src/keys/read-keys.js';

const FOLDER = '../shared/vectors';

/** Public test vectors lie beside the repository, where they are at all. */
function describeVectors<T>(file: string, body: (cases: T[]) => void): void {
  if (existsSync(`${FOLDER}/${file}`)) {
    describe(file, () => body(JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8')).cases));
  } else {
    describe.skip(`${file} (skipped: there is no ${FOLDER}/${file})`, () => it('runs', () => undefined));
  }
}

interface AntCase {
  pattern: string;
  path: string;
  match: boolean;
  line: number;
}

describeVectors<AntCase>('ant-path-matcher.spring.json', (cases) => {
  const usable = cases.filter(({ pattern }) => antPatternProblem(pattern) === undefined);

  it('covers our syntax', () => expect(usable.length).toBeGreaterThan(25));

  it.each(usable)('line $line: $pattern on $path is $match', ({ pattern, path, match }) =>
    expect(new AntPattern(pattern).matches(path)).toBe(match),
  );
});

describeVectors<{ path: string; spring: 'allow' | 'reject' }>(
  'path-firewall.spring-security.json',
  (cases) => {
    it.each(cases.filter(({ spring }) => spring === 'reject'))('%j earns no exemption', ({ path }) =>
      expect(plainPath(path)).toBeUndefined(),
    );
  },
);

interface JwsCase {
  tcId: number;
  comment: string;
  jws: string;
  keyB64u: string;
  use: 'valid' | 'invalid' | 'skip';
}

describeVectors<JwsCase>('wycheproof-hs256.json', (cases) => {
  it.each(cases.filter(({ use }) => use !== 'skip'))('$tcId $comment is $use', ({ jws, keyB64u, use }) => {
    const key = Buffer.from(keyB64u, 'base64url');
    const codec = new JwtCodec({ ring: ringOfSecret(key), addressing: new Addressing({}) });
    const isAccepted = () => {
      try {
        codec.verifySignature(jws);
        return key.length >= MIN_SECRET_BYTES; // a shorter one ends start-up
      } catch {
        return false;
      }
    };
    expect(isAccepted()).toBe(use === 'valid');
    // The payloads are no claims of ours.
    expect(() => codec.decode(jws)).toThrow('The token is invalid');
  });
});
