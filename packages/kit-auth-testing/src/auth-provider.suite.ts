import assert from 'node:assert/strict';
import { AuthErrorCode, AuthException, type AuthProvider, type LoginUser } from 'kit-auth';
import { testRunner } from './test-runner.js';

export interface ProviderUnderTest {
  provider: AuthProvider;
  /** A user that the provider can issue a token for: for some it has to be in the database. */
  user: LoginUser;
}

export interface ProviderTraits {
  /** Whether `invalidate` ends a token. What an implementation cannot do is declared here, and tested as such. */
  canInvalidate: boolean;
  /** What `sessions` can do: nothing (it is absent), end those of a user, or list them and end one as well. Default `none`. */
  sessions?: 'none' | 'ends all' | 'lists' | undefined;
}

const NOISE = [
  ...[
    '',
    ' ',
    'x',
    '.',
    '..',
    '...',
    'undefined',
    'null',
    '[object Object]',
    '{}',
    '0',
    '-1',
    'a.b.c',
    'Bearer x',
  ],
  ...[
    '\u0000',
    '\n',
    '\ud800',
    'caf\u00e9',
    '%00',
    '../..',
    "' OR 1=1 --",
    'a'.repeat(10_000),
    '.'.repeat(10_000),
  ],
];

/**
 * What every `AuthProvider` has to hold, for one of your own.
 *
 * @param underTest gives the provider, ready to use; it is called in tests, not before
 */
export function describeAuthProvider(
  name: string,
  traits: ProviderTraits,
  underTest: () => ProviderUnderTest,
): void {
  const { describe, it } = testRunner();

  const resolve = async (token: string) => underTest().provider.resolveToken(token);
  const assertRefused = async (token: string) => {
    await assert.rejects(
      () => resolve(token),
      (error) => error instanceof AuthException && error.code === AuthErrorCode.TOKEN_INVALID,
      `not refused as 40101: ${JSON.stringify(token.slice(0, 80))}`,
    );
  };

  describe(`the implementation ${name}`, () => {
    it('has a name', async () => {
      assert.match(underTest().provider.extensionName, /\S/);
    });

    it('resolves its own token to the user, again and again', async () => {
      const { provider, user } = underTest();
      const token = await provider.issueToken(user);
      for (let i = 0; i < 3; i++) {
        // By way of JSON: a runner may have arrays of another realm.
        assert.deepEqual(JSON.parse(JSON.stringify(await resolve(token))), JSON.parse(JSON.stringify(user)));
      }
    });

    it('issues tokens that a header can carry, each unlike the others', async () => {
      const { provider, user } = underTest();
      const tokens = await Promise.all(Array.from({ length: 20 }, () => provider.issueToken(user)));
      assert.equal(new Set(tokens).size, tokens.length);
      for (const token of tokens) {
        assert.match(token, /^[A-Za-z0-9\-._~+/]+=*$/); // RFC 6750 section 2.1, b64token
        assert.ok(token.length < 12_288);
      }
    });

    it('refuses noise', async () => {
      for (const noise of NOISE) {
        await assertRefused(noise);
      }
    });

    it('refuses a token with any character changed, missing or added', async () => {
      const { provider, user } = underTest();
      const token = await provider.issueToken(user);
      for (let at = 0; at < token.length; at++) {
        const other = token[at] === 'A' ? 'B' : 'A';
        await assertRefused(token.slice(0, at) + other + token.slice(at + 1));
        await assertRefused(token.slice(0, at) + token.slice(at + 1));
      }
      for (const added of ['A', '=', '.', ' ', '\n', '\0']) {
        await assertRefused(token + added);
        await assertRefused(added + token);
      }
    });

    it('takes the end of noise, and a second end, for no error', async () => {
      const { provider, user } = underTest();
      const token = await provider.issueToken(user);
      for (const text of [...NOISE, token, token]) {
        await provider.invalidate(text);
      }
    });

    if (traits.canInvalidate) {
      it('ends a token, that one alone, and says so', async () => {
        const { provider, user } = underTest();
        const [ended, other] = [await provider.issueToken(user), await provider.issueToken(user)];
        await provider.invalidate(ended);
        await assert.rejects(
          () => resolve(ended),
          (error) => error instanceof AuthException && error.reason === 'logged-out',
        );
        assert.equal((await resolve(other)).userId, user.userId);
      });

      it('lets no read that begins after the end of a token succeed', async () => {
        const { provider, user } = underTest();
        const token = await provider.issueToken(user);
        const before = Array.from({ length: 25 }, () => resolve(token).catch(() => undefined));
        await provider.invalidate(token);
        const after = await Promise.allSettled(Array.from({ length: 25 }, () => resolve(token)));
        assert.ok(after.every(({ status }) => status === 'rejected'));
        await Promise.all(before);
        await assertRefused(token);
      });
    } else {
      it('declares that it cannot end a token: it is valid until it expires', async () => {
        const { provider, user } = underTest();
        const token = await provider.issueToken(user);
        await provider.invalidate(token);
        assert.equal((await resolve(token)).userId, user.userId);
      });
    }

    const { sessions: ability = 'none' } = traits;
    if (ability === 'none') {
      it('declares that it has no sessions', async () => {
        assert.equal(underTest().provider.sessions, undefined);
      });
      return;
    }

    it('ends all sessions of a user, with a reason', async () => {
      const { provider, user } = underTest();
      const tokens = [await provider.issueToken(user), await provider.issueToken(user)];
      assert.equal(provider.sessions?.currentId(), undefined);
      await provider.sessions?.endAllOf(user.userId, { reason: 'password-changed' });
      for (const token of tokens) {
        await assert.rejects(
          () => resolve(token),
          (error) => error instanceof AuthException && error.reason === 'password-changed',
        );
      }
    });

    if (ability === 'ends all') {
      it('declares that it cannot list sessions', async () => {
        const { provider, user } = underTest();
        const isNotImplemented = (error: unknown) =>
          error instanceof AuthException && error.code === AuthErrorCode.NOT_IMPLEMENTED;
        await assert.rejects(async () => provider.sessions?.listOf(user.userId), isNotImplemented);
        await assert.rejects(async () => provider.sessions?.end(user.userId, 'x'), isNotImplemented);
      });
      return;
    }

    it('lists the sessions of a user, and ends one of them, for that user alone', async () => {
      const { provider, user } = underTest();
      const { sessions } = provider;
      await sessions?.endAllOf(user.userId);
      const [ended, kept] = [await provider.issueToken(user), await provider.issueToken(user)];
      const listed = (await sessions?.listOf(user.userId)) ?? [];
      assert.equal(listed.length, 2);
      assert.ok(listed.every(({ id, current }) => !current && !ended.includes(id) && !kept.includes(id)));
      const [first] = listed.map(({ id }) => id) as [string];
      assert.equal(await sessions?.end(user.userId + 1, first, 'kicked'), false);
      assert.equal(await sessions?.end(user.userId, first, 'kicked'), true);
      assert.equal(await sessions?.end(user.userId, first, 'kicked'), false);
      assert.equal(await sessions?.end(user.userId, 'nonsense'), false);
      const outcomes = await Promise.allSettled([resolve(ended), resolve(kept)]);
      assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      assert.equal((await sessions?.listOf(user.userId))?.length, 1);
    });
  });
}
