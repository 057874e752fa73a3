import { AssertionError } from 'node:assert';
import { AuthErrorCode, AuthException, type AuthCredential, type Requirement, type UserId } from 'kit-auth';
import {
  assertAccepted,
  assertLoginUser,
  assertNoneAlike,
  assertOneOf,
  assertProof,
  assertRefused,
  assertSame,
  assertThat,
  assertTokens,
  described,
  NOISE,
  shown,
} from './assertions.js';
import { testRunner } from './test-runner.js';

export interface CredentialUnderTest {
  credential: AuthCredential;
  /** Creates a valid token, a different one with each call. */
  newToken: () => string | Promise<string>;
  /** The user that the tokens resolve to. */
  userId: UserId;
}

const ROUTES: readonly Requirement[][] = [
  [],
  [{ kind: 'role', names: [], mode: 'all' }],
  [{ kind: 'role', names: ['editor'], mode: 'all' }],
  [{ kind: 'permission', names: ['note:read'], mode: 'all' }],
];

/**
 * Defines the tests that every `AuthCredential` with a `prefix` has to pass.
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
      const { prefix = '', scheme } = underTest().credential;
      assertThat(
        /^[\w.-]{3,16}$/.test(prefix),
        `expected prefix to be 3 to 16 letters, digits, "_", "." or "-", but it is ${shown(prefix)}`,
      );
      assertThat(
        typeof scheme === 'string' && /\S/.test(scheme),
        `expected scheme to be a non-blank string, but it is ${shown(scheme)}`,
      );
    });

    it('has unique tokens that begin with the prefix, and that a header can carry', async () => {
      const { prefix = '' } = underTest().credential;
      const { newToken } = underTest();
      const tokens = [await newToken(), await newToken(), await newToken()];
      assertTokens(tokens);
      for (const token of tokens) {
        const length = token.length - prefix.length;
        assertThat(
          token.startsWith(prefix),
          `expected a token to begin with ${prefix}, but it begins with ${token.slice(0, prefix.length)}`,
        );
        assertThat(
          length >= 16,
          `expected a token to have 16 characters or more behind its prefix, so that nobody can guess it, but it has ${length}`,
        );
      }
    });

    it('resolves its own token to the user, again and again', async () => {
      const { newToken, userId } = underTest();
      const token = await newToken();
      const logins = await assertAccepted(
        () => Promise.all(Array.from({ length: 10 }, () => resolve(token))),
        'a new token that is resolved ten times at once',
      );
      for (const { user, proof } of logins) {
        assertLoginUser(user, typeof userId as 'number');
        assertSame(user.userId, userId, 'the id of the user that resolve() returns');
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
      const again = await assertAccepted(() => resolve(token), 'a token after its user was frozen');
      const json = JSON.stringify(again.user);
      assertSame(json, expected, 'the user of a token that is resolved again, after the first was frozen,');
    });

    it('refuses noise, with and without its prefix', async () => {
      const { prefix = '' } = underTest().credential;
      for (const noise of NOISE.flatMap((text) => [text, prefix + text])) {
        await assertRefused(() => resolve(noise), `the token ${JSON.stringify(noise.slice(0, 80))}`);
      }
    });

    it('refuses a token with any character changed, missing or added', async () => {
      const { credential, newToken } = underTest();
      const token = await newToken();
      const { prefix = '' } = credential;
      await assertNoneAlike(token, resolve, prefix.length);
      for (const other of [token.toUpperCase(), token.toLowerCase(), prefix + token, `${prefix} ${token}`]) {
        if (other !== token) {
          await assertRefused(() => resolve(other), 'a valid token in another spelling');
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
        const what = `a route with the requirements ${JSON.stringify(requirements)}`;
        const refusal = await refusalOf(async () => {
          const answer: unknown = await credential.authorize?.(principal, route);
          assertSame(answer, undefined, `the result of authorize() for ${what}`);
        });
        if (refusal === undefined) {
          const isAllowed = credential.allows?.(route) ?? true;
          assertSame(isAllowed, true, `the result of allows() for ${what}, which authorize() admits,`);
        } else {
          const code = refusal instanceof AuthException ? refusal.code : described(refusal);
          assertOneOf(
            code,
            [AuthErrorCode.KEY_NOT_ALLOWED, AuthErrorCode.FORBIDDEN],
            `the code of the AuthException with which authorize() refuses ${what}`,
          );
        }
      }
      const { user } = await resolve(token);
      assertSame(user, principal.user, 'the user of a token after the calls of authorize()');
    });

    it('hears of admitted requests without a failure, and at once', async () => {
      const { credential, newToken } = underTest();
      const token = await newToken();
      const principal = { ...(await resolve(token)), scheme: credential.scheme, token };
      for (let request = 0; request < 10; request++) {
        const answer: unknown = credential.admitted?.(principal);
        assertSame(answer, undefined, 'the result of admitted(), whose promise nothing would wait for,');
      }
      const { user } = await resolve(token);
      assertSame(user, principal.user, 'the user of a token after the calls of admitted()');
    });
  });
}

/** The error that a call throws, except for failed assertions. */
async function refusalOf(call: () => Promise<void>): Promise<unknown> {
  try {
    await call();
    return undefined;
  } catch (error) {
    if (error instanceof AssertionError) {
      throw error;
    }
    return error;
  }
}
