import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { keyFrom, keyProblem, type SignatureAlgorithm, VerificationKey } from 'kit-auth/tools';
import { AntPattern, antPatternProblem } from '../../../../packages/kit-auth/src/routes/ant-pattern.js';
import { plainPath } from '../../../../packages/kit-auth/src/routes/paths.js';
import { Addressing } from '../../../../packages/kit-auth-jwt/src/addressing.js';
import { JwtCodec } from '../../../../packages/kit-auth-jwt/src/jwt.codec.js';
import { ringOfSecret } from '../../../../packages/kit-auth-jwt/src/jwt.keys.js';
import { MIN_SECRET_BYTES } from '../../../../packages/kit-auth-jwt/src/keys/read-keys.js';

const FOLDER = '../shared/vectors';

/** Public test vectors lie beside the repository, where they are at all. */
function describeVectors<T>(file: string, body: (cases: T[]) => void, member = 'cases'): void {
  if (existsSync(`${FOLDER}/${file}`)) {
    describe(file, () => body(JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8'))[member]));
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

  it('match as they do in Spring', () => {
    expect(
      usable.filter(({ pattern, path, match }) => new AntPattern(pattern).matches(path) !== match),
    ).toEqual([]);
  });
});

describeVectors<{ path: string; spring: 'allow' | 'reject' }>(
  'path-firewall.spring-security.json',
  (cases) => {
    it('earn no exemption where Spring rejects them', () => {
      const rejected = cases.filter(({ spring }) => spring === 'reject');
      expect(rejected.length).toBeGreaterThan(0);
      expect(rejected.filter(({ path }) => plainPath(path) !== undefined)).toEqual([]);
    });
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
  const known = cases.filter(({ use }) => use !== 'skip');

  it('have the signatures that they say', () => {
    const isAccepted = ({ jws, keyB64u }: JwsCase) => {
      const key = Buffer.from(keyB64u, 'base64url');
      const codec = new JwtCodec({ ring: ringOfSecret(key), addressing: new Addressing({}) });
      // The payloads are no claims of ours.
      expect(() => codec.decode(jws)).toThrow('The token is invalid');
      try {
        codec.verifySignature(jws);
        return key.length >= MIN_SECRET_BYTES; // a shorter one ends start-up
      } catch {
        return false;
      }
    };
    expect(known.length).toBeGreaterThan(0);
    expect(known.filter((each) => isAccepted(each) !== (each.use === 'valid'))).toEqual([]);
  });
});

/** A group of Wycheproof's own files. */
interface Group<T> {
  comment: string;
  publicKeyPem: string;
  tests: (T & { tcId: number; comment: string; result: 'valid' | 'acceptable' | 'invalid' })[];
}

/** With the names of Wycheproof's files. */
const SIGNATURES: Readonly<Record<string, SignatureAlgorithm>> = {
  ed25519_test: 'EdDSA',
  ecdsa_secp256r1_sha256_p1363_test: 'ES256',
  ecdsa_secp384r1_sha384_p1363_test: 'ES384',
  ecdsa_secp521r1_sha512_p1363_test: 'ES512',
  rsa_signature_2048_sha256_test: 'RS256',
  rsa_signature_3072_sha256_test: 'RS256',
  rsa_signature_4096_sha256_test: 'RS256',
  rsa_signature_3072_sha384_test: 'RS384',
  rsa_signature_4096_sha384_test: 'RS384',
  rsa_signature_3072_sha512_test: 'RS512',
  rsa_signature_4096_sha512_test: 'RS512',
  rsa_pss_2048_sha256_mgf1_32_test: 'PS256',
  rsa_pss_3072_sha256_mgf1_32_test: 'PS256',
  rsa_pss_4096_sha256_mgf1_32_test: 'PS256',
  rsa_pss_4096_sha384_mgf1_48_test: 'PS384',
  rsa_pss_4096_sha512_mgf1_64_test: 'PS512',
};

describe.each(Object.entries(SIGNATURES))('%s', (file, alg) => {
  describeVectors<Group<{ msg: string; sig: string }>>(
    `${file}.json`,
    (groups) => {
      const cases = groups.flatMap(({ publicKeyPem, tests }) =>
        tests.map(({ msg, sig, ...test }) => ({
          ...test,
          key: publicKeyPem,
          input: Buffer.from(msg, 'hex'),
          signature: Buffer.from(sig, 'hex').toString('base64url'),
        })),
      );

      it('have the signatures that they say', () => {
        // What tokens sign is text.
        const texts = cases.filter(({ input }) => isUtf8(input));
        const isAccepted = ({ key: pem, input, signature }: (typeof cases)[number]) => {
          const key = keyFrom(pem);
          expect(keyProblem(alg, key)).toBeUndefined();
          return new VerificationKey(alg, key).verify(input.toString(), signature);
        };
        expect(texts.length).toBeGreaterThan(0);
        // Those that one may accept lack the NULL in the parameters of the hash.
        expect(texts.filter((each) => isAccepted(each) !== (each.result === 'valid'))).toEqual([]);
      });
    },
    'testGroups',
  );
});
