import assert from 'node:assert/strict';
import { AuthErrorCode, AuthException, type AuthCredential, type Requirement, type UserId } from 'kit-auth';
import {
  assertLoginUser,
  assertNoneAlike,
  assertProof,
  assertRefused,
  assertSame,
  B64_TOKEN,
  NOISE,
} from './assertions.js';
import { testRunner } from './test-runner.js';

export interface CredentialUnderTest {
  credential: AuthCredential;
  /** Creates a valid token, another one with each call. */
  newToken: () => string | Promise<string>;
  /** Whom the tokens resolve to. */
  userId: UserId;
}

const ROUTES: readonly Requirement[][] = [
  [],
  [{ kind: 'role', names: [], mode: 'all' }],
  [{ kind: 'role', names: ['editor'], mode: 'all' }],
  [{ kind: 'permission', names: ['note:read'], mode: 'all' }],
];

/**
 * Defines the tests that every `AuthCredential` has to pass.
 *
 * @param underTest returns the credential, ready to use. It is called in tests, not before.
 * @example
 * ```ts
 * describeCredential('api-key', () => ({
 *   credential: app.get(ApiKeyCredential),
 *   newToken: () => app.get(ApiKeys).create(ada.id),
 *   userId: ada.id,
 * }));
 * ```
 */
export function describeCredential(name: string, underTest: () => CredentialUnderTest): void {
  const { describe, it } = testRunner();
  const resolve = async (token: string) => underTest().credential.resolve(token);

  describe(`the credential ${name}`, () => {
    it('has a prefix and a scheme that start-up accepts', async () => {
      const { prefix, scheme } = underTest().credential;
      assert.match(prefix, /^[\w.-]{3,16}$/);
      assert.match(scheme, /\S/);
    });

    it('has unique tokens that begin with the prefix, and that a header can carry', async () => {
      const { credential, newToken } = underTest();
      const tokens = [await newToken(), await newToken(), await newToken()];
      assert.equal(new Set(tokens).size, tokens.length);
      for (const token of tokens) {
        assert.ok(token.startsWith(credential.prefix) && B64_TOKEN.test(token) && token.length < 12_288);
        assert.ok(token.length >= credential.prefix.length + 16, 'a token is long enough not to be guessed');
      }
    });

    it('resolves its own token to the user, again and again', async () => {
      const { newToken, userId } = underTest();
      const token = await newToken();
      const logins = await Promise.all(Array.from({ length: 10 }, () => resolve(token)));
      for (const { user, proof } of logins) {
        assertLoginUser(user, typeof userId as 'number');
        assert.equal(user.userId, userId);
        assertProof(proof);
      }
    });

    it('still resolves a token after the core has frozen its user', async () => {
      const token = await underTest().newToken();
      const expected = JSON.stringify((await resolve(token)).user);
      const { user } = await resolve(token);
      if (!Object.isFrozen(user)) {
        Object.freeze(user.roles);
        Object.freeze(user.permissions);
        Object.freeze(user);
      }
      assert.equal(JSON.stringify((await resolve(token)).user), expected);
    });

    it('refuses noise, with and without its prefix', async () => {
      const { prefix } = underTest().credential;
      for (const noise of NOISE.flatMap((text) => [text, prefix + text])) {
        await assertRefused(() => resolve(noise), JSON.stringify(noise.slice(0, 80)));
      }
    });

    it('refuses a token with any character changed, missing or added', async () => {
      const { credential, newToken } = underTest();
      const token = await newToken();
      const { prefix } = credential;
      await assertNoneAlike(token, resolve, prefix.length);
      for (const other of [token.toUpperCase(), token.toLowerCase(), prefix + token, `${prefix} ${token}`]) {
        if (other !== token) {
          await assertRefused(() => resolve(other), 'its own token in another spelling');
        }
      }
    });

    it('decides about routes with an AuthException, or not at all', async () => {
      const { credential, newToken } = underTest();
      const token = await newToken();
      const principal = { ...(await resolve(token)), scheme: credential.scheme, token };
      for (const requirements of ROUTES) {
        const route = {
          controller: class Controller {},
          handler: () => undefined,
          requirements,
          ours: false,
        };
        const isAllowed = credential.allows?.(route) ?? true;
        try {
          assert.equal(await credential.authorize?.(principal, route), undefined);
          assert.ok(isAllowed, 'a route that it does not allow');
        } catch (error) {
          assert.ok(error instanceof AuthException && error.getStatus() === 403);
          assert.ok([AuthErrorCode.KEY_NOT_ALLOWED, AuthErrorCode.FORBIDDEN].includes(error.code));
        }
      }
      assertSame((await resolve(token)).user, principal.user);
    });

    it('hears of admitted requests without a failure, and at once', async () => {
      const { credential, newToken } = underTest();
      const token = await newToken();
      const principal = { ...(await resolve(token)), scheme: credential.scheme, token };
      for (let request = 0; request < 10; request++) {
        assert.equal(credential.admitted?.(principal), undefined, 'nothing waits for a promise');
      }
      assertSame((await resolve(token)).user, principal.user);
    });
  });
}
