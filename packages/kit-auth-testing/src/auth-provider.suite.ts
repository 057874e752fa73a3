import {
  AuthErrorCode,
  type AuthProvider,
  type AuthSessions,
  type LoginProof,
  type LoginUser,
  type ResolvedLogin,
  type UserId,
} from 'kit-auth';
import {
  assertAccepted,
  assertNoCrash,
  assertNoneAlike,
  assertOneOf,
  assertProof,
  assertRefused,
  assertSame,
  assertThat,
  assertTokens,
  later,
  LOGIN_ID,
  NOISE,
  otherIdThan,
  secondsNow,
  shown,
} from './assertions.js';
import { testRunner } from './test-runner.js';

export interface ProviderUnderTest {
  provider: AuthProvider;
  /** A user that the provider can issue a token for. For some providers, the user has to be in the database. */
  user: LoginUser;
}

/** The capabilities of the provider. The suite also tests what it does not support. */
export interface ProviderTraits {
  /** Whether `invalidate` ends a token. */
  canInvalidate: boolean;
  /** Whether tokens keep the proof of a login (`AuthProvider.keepsProof`). Default `false`. */
  keepsProof?: boolean | undefined;
  /** The capabilities of `sessions`: absent, end all of a user, or also list them and end one. Default `none`. */
  sessions?: 'none' | 'ends all' | 'lists' | undefined;
}

/** Factors that no login step should add. */
const JUNK_FACTORS: readonly unknown[] = [
  { password: 'now' },
  { password: -1 },
  { password: 1.5 },
  { password: 1e21 },
  { password: Number.NaN },
  { password: null },
  { password: {} },
  { password: [1] },
  { 'a b': 1 },
  { '': 1 },
  { constructor: 1 },
  JSON.parse('{"__proto__":1}') as unknown,
  { ['x'.repeat(10_000)]: 1 },
  { '\ud800': 1 },
  [],
  'password',
  Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`factor-${i}`, 1])),
];

/**
 * Defines the tests that every `AuthProvider` has to pass.
 *
 * @param underTest returns the provider, ready to use. It is called in tests, not before.
 * @example
 * ```ts
 * const provider = new MemoryAuthProvider();
 * const user = { userId: 1, username: 'ada', nickname: 'Ada', superAdmin: false, roles: [], permissions: [] };
 *
 * describeAuthProvider('memory', { canInvalidate: true, keepsProof: true }, () => ({ provider, user }));
 * ```
 */
export function describeAuthProvider(
  name: string,
  traits: ProviderTraits,
  underTest: () => ProviderUnderTest,
): void {
  const { describe, it } = testRunner();
  const resolve = async (token: string) => underTest().provider.resolveToken(token);

  describe(`the implementation ${name}`, () => {
    it('has a name', async () => {
      const { extensionName } = underTest().provider;
      assertThat(
        typeof extensionName === 'string' && /\S/.test(extensionName),
        `expected extensionName to be a non-blank string, but it is ${shown(extensionName)}`,
      );
    });

    it('resolves its own token to the user, again and again', async () => {
      const { provider, user } = underTest();
      const token = await provider.issueToken(user);
      for (let i = 0; i < 3; i++) {
        const resolved = await assertAccepted(() => resolve(token), 'a token that was just issued');
        assertSame(resolved, user, 'the user that resolveToken() returns for a token of theirs');
      }
    });

    it('issues unique tokens that a header can carry', async () => {
      const { provider, user } = underTest();
      const tokens = await Promise.all(Array.from({ length: 20 }, () => provider.issueToken(user)));
      assertTokens(tokens);
    });

    it('refuses noise', async () => {
      for (const noise of NOISE) {
        await assertRefused(() => resolve(noise), `the token ${JSON.stringify(noise.slice(0, 80))}`);
      }
    });

    it('refuses a token with any character changed, missing or added', async () => {
      const { provider, user } = underTest();
      const token = await provider.issueToken(user);
      await assertNoneAlike(token, resolve);
      for (const added of ['A', '=', '.', ' ', '\n', '\0']) {
        await assertRefused(() => resolve(added + token), `a valid token after ${JSON.stringify(added)}`);
      }
    });

    it('accepts the end of noise, and a second end', async () => {
      const { provider, user } = underTest();
      const token = await provider.issueToken(user);
      for (const text of [...NOISE, token, token]) {
        const what =
          text === token ? 'a token that is valid or has ended' : JSON.stringify(text.slice(0, 80));
        await assertAccepted(() => provider.invalidate(text), `invalidate() of ${what}`);
      }
    });

    if (traits.canInvalidate) {
      it('ends a token and no other, with a reason', async () => {
        const { provider, user } = underTest();
        const [ended, other] = [await provider.issueToken(user), await provider.issueToken(user)];
        await provider.invalidate(ended);
        await assertRefused(() => resolve(ended), 'a token after invalidate()', 'logged-out');
        const { userId } = await assertAccepted(
          () => resolve(other),
          'a token after invalidate() of another one',
        );
        assertSame(userId, user.userId, 'the id of its user');
      });

      it('refuses every read that begins after the end of a token', async () => {
        const { provider, user } = underTest();
        const token = await provider.issueToken(user);
        const before = Array.from({ length: 25 }, () => resolve(token).catch(() => undefined));
        await provider.invalidate(token);
        const after = await Promise.allSettled(Array.from({ length: 25 }, () => resolve(token)));
        const accepted = after.filter(({ status }) => status === 'fulfilled').length;
        assertSame(
          accepted,
          0,
          'the number of reads that accept a token although they began after invalidate()',
        );
        await Promise.all(before);
        await assertRefused(() => resolve(token), 'a token that is read while it ends, after invalidate()');
      });
    } else {
      it('declares that it cannot end a token: it is valid until it expires', async () => {
        const { provider, user } = underTest();
        const token = await provider.issueToken(user);
        await provider.invalidate(token);
        const what = 'a token after invalidate(), with the trait canInvalidate: false,';
        const { userId } = await assertAccepted(() => resolve(token), what);
        assertSame(userId, user.userId, 'the id of its user');
      });
    }

    if (traits.keepsProof === true) {
      describeProof(underTest);
    } else {
      it('declares that it keeps no proof', async () => {
        const { provider, user } = underTest();
        assertOneOf(
          provider.keepsProof,
          [undefined, false],
          'keepsProof of a provider without the trait keepsProof',
        );
        const token = await provider.issueToken(user, { factors: { password: secondsNow() } });
        assertSame(await resolve(token), user, 'the user of a token that was issued with a proof');
      });
    }

    describeProviderSessions(traits, underTest);
  });
}

function describeProof(underTest: () => ProviderUnderTest): void {
  const { it } = testRunner();
  const resolve = async (token: string): Promise<ResolvedLogin> => {
    const { provider } = underTest();
    assertThat(
      typeof provider.resolve === 'function',
      'expected a provider with keepsProof to have the method resolve(), but it has none',
    );
    return provider.resolve(token);
  };
  const proofOf = async (proof?: LoginProof) => {
    const { provider, user } = underTest();
    return (await resolve(await provider.issueToken(user, proof))).proof;
  };

  it('declares that it keeps the proof, and resolves to the same user with it', async () => {
    const { provider, user } = underTest();
    assertSame(provider.keepsProof, true, 'keepsProof of the provider');
    const token = await provider.issueToken(user, { factors: { password: secondsNow() } });
    for (let i = 0; i < 3; i++) {
      const login = await resolve(token);
      assertSame(login.user, user, 'the user that resolve() returns');
      assertProof(login.proof);
    }
    assertSame(await provider.resolveToken(token), user, 'the user that resolveToken() returns');
  });

  it('keeps factors, actor and the end of the login', async () => {
    const { user } = underTest();
    const now = secondsNow();
    const proof = {
      factors: { password: now - 100, totp: now, 'own-factor_1': 0 },
      actor: { userId: user.userId, username: 'root \u00c5 \ud83d\ude80' },
      expiresAt: now + 60,
    };
    const { factors, actor, expiresAt } = await proofOf(proof);
    assertSame({ factors, actor, expiresAt }, proof, 'the proof that a token was issued for');
  });

  it('replaces a token, where it can', async () => {
    const { provider, user } = underTest();
    if (provider.replaceToken === undefined) {
      return;
    }
    const factors = { password: secondsNow() };
    const former = await provider.issueToken(user, { factors: {} });
    const second = await provider.replaceToken(former, user, { factors });
    const resolved = await resolve(second);
    assertSame(resolved.proof.factors, factors, 'the factors of the token that replaceToken() returns');
    assertSame(resolved.user, user, 'the user of the token that replaceToken() returns');
    await assertRefused(() => resolve(former), 'a token that was replaced', 'replaced');
    const again = async () => provider.replaceToken?.(former, user, { factors });
    await assertRefused(again, 'a second replacement of one token', 'replaced');
    const third = await provider.replaceToken(second, user, { factors });
    await provider.invalidate(former);
    await assertRefused(
      () => resolve(third),
      'the successor of a token, after invalidate() of that token',
      'logged-out',
    );
  });

  it('keeps nothing that it was not given', async () => {
    for (const proof of [undefined, { factors: {} }]) {
      const { factors, actor } = await proofOf(proof);
      assertSame(factors, {}, 'the factors of a token that was issued without any');
      assertSame(actor, undefined, 'the actor of a token that was issued without one');
    }
  });

  it('keeps the id of the login, or gives it one that is not the token', async () => {
    const { provider, user } = underTest();
    const given = `login-1.a_${secondsNow()}`;
    const token = await provider.issueToken(user, { factors: {}, loginId: given });
    const { loginId } = (await resolve(token)).proof;
    assertThat(
      loginId !== undefined && LOGIN_ID.test(loginId) && loginId !== token,
      `expected the loginId of a token to have 1 to 64 letters, digits, "_", "." or "-", and not to be the token, but it ` +
        `is ${loginId === token ? 'the token' : shown(loginId)}`,
    );
    assertSame(
      (await resolve(token)).proof.loginId,
      loginId,
      'the loginId of a token that is resolved again',
    );
  });

  it('keeps the proofs of two logins apart', async () => {
    const times = [secondsNow() - 10, secondsNow()];
    const proofs = await Promise.all(times.map((password) => proofOf({ factors: { password } })));
    assertSame(
      proofs.map(({ factors }) => factors['password']),
      times,
      'the factors of two tokens that were issued at the same time',
    );
  });

  it('issues no token that outlives the login', async () => {
    const { provider, user } = underTest();
    const expiresAt = secondsNow() + 60;
    const token = await provider.issueToken(user, { factors: {}, expiresAt });
    await assertAccepted(() => resolve(token), 'a token before the end of its login');
    await later(61, () => assertRefused(() => resolve(token), 'a token whose login is over'));
  });

  it('issues no valid token for a login that is over', async () => {
    const { provider, user } = underTest();
    const over = { factors: {}, expiresAt: secondsNow() - 1 };
    const token = await assertNoCrash(() => provider.issueToken(user, over), 'a login that is over');
    if (token !== undefined) {
      await assertRefused(() => resolve(token), 'a token whose login is over');
    }
  });

  it('does not crash on a token for a proof that is junk', async () => {
    const { provider, user } = underTest();
    for (const factors of JUNK_FACTORS) {
      const proof = { factors: factors as LoginProof['factors'] };
      const token = await provider.issueToken(user, proof).catch(() => undefined);
      if (token !== undefined) {
        const what = `a token for the factors ${JSON.stringify(factors).slice(0, 80)}`;
        await assertNoCrash(async () => resolve(token), what);
      }
    }
  });
}

function describeProviderSessions(
  { sessions: ability = 'none' }: ProviderTraits,
  underTest: () => ProviderUnderTest,
): void {
  const { it } = testRunner();
  const resolve = async (token: string) => underTest().provider.resolveToken(token);

  if (ability === 'none') {
    it('declares that it has no sessions', async () => {
      const { sessions } = underTest().provider;
      assertSame(sessions, undefined, "sessions of the provider, with the trait sessions: 'none'");
    });
    return;
  }

  const sessionsOf = (provider: AuthProvider): AuthSessions => {
    assertThat(
      provider.sessions !== undefined,
      `expected the provider to have sessions, as the trait sessions: '${ability}' says, but it has none`,
    );
    return provider.sessions;
  };

  it('ends all sessions of a user, with a reason', async () => {
    const { provider, user } = underTest();
    const sessions = sessionsOf(provider);
    const tokens = [await provider.issueToken(user), await provider.issueToken(user)];
    assertSame(sessions.currentId(), undefined, 'the result of currentId() outside of a request');
    await sessions.endAllOf(user.userId, { reason: 'password-changed' });
    for (const token of tokens) {
      await assertRefused(() => resolve(token), 'a token after endAllOf() for its user', 'password-changed');
    }
  });

  if (ability === 'ends all') {
    it('declares that it cannot list sessions', async () => {
      const { provider, user } = underTest();
      const sessions = sessionsOf(provider);
      const code = AuthErrorCode.NOT_IMPLEMENTED;
      await assertRefused(() => sessions.listOf(user.userId), 'the call of listOf()', undefined, code);
      await assertRefused(() => sessions.end(user.userId, 'x'), 'the call of end()', undefined, code);
    });
    return;
  }

  it('lists the sessions of a user, and ends one of them, for that user alone', async () => {
    const { provider, user } = underTest();
    const sessions = sessionsOf(provider);
    await sessions.endAllOf(user.userId);
    const [ended, kept] = [await provider.issueToken(user), await provider.issueToken(user)];
    const listed = await sessions.listOf(user.userId);
    assertSame(listed.length, 2, 'the number of sessions that listOf() returns after two logins');
    for (const { id, current } of listed) {
      assertSame(current, false, 'current of a session that is listed outside of a request');
      const isSecret = ended.includes(id) || kept.includes(id);
      assertThat(!isSecret, 'expected the id of a listed session to be no part of a token, but it is');
    }
    const [first] = listed.map(({ id }) => id) as [string];
    const end = (userId: UserId, id: string) => sessions.end(userId, id, 'kicked');
    assertSame(
      await end(otherIdThan(user.userId), first),
      false,
      "the result of end() for another user's session",
    );
    assertSame(await end(user.userId, first), true, 'the result of end() for a live session');
    assertSame(await end(user.userId, first), false, 'the result of end() for a session that is over');
    assertSame(await end(user.userId, 'nonsense'), false, 'the result of end() for an unknown id');
    const outcomes = await Promise.allSettled([resolve(ended), resolve(kept)]);
    assertSame(
      outcomes.map(({ status }) => status).sort(),
      ['fulfilled', 'rejected'],
      'what becomes of the tokens of two sessions, one of which was ended,',
    );
    const left = await sessions.listOf(user.userId);
    assertSame(left.length, 1, 'the number of listed sessions after one of two was ended');
  });
}
