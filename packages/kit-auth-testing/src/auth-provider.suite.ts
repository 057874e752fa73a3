import assert from 'node:assert/strict';
import {
  AuthErrorCode,
  AuthException,
  type AuthProvider,
  type LoginProof,
  type LoginUser,
  type ResolvedLogin,
} from 'kit-auth';
import {
  assertNoCrash,
  assertNoneAlike,
  assertProof,
  assertRefused,
  assertSame,
  B64_TOKEN,
  later,
  LOGIN_ID,
  NOISE,
  otherIdThan,
  secondsNow,
} from './assertions.js';
import { testRunner } from './test-runner.js';

export interface ProviderUnderTest {
  provider: AuthProvider;
  /** A user that the provider can issue a token for. For some providers, the user has to be in the database. */
  user: LoginUser;
}

/** What the provider can do. What it cannot do is tested too. */
export interface ProviderTraits {
  /** Whether `invalidate` ends a token. */
  canInvalidate: boolean;
  /** Whether tokens keep the proof of a login (`AuthProvider.keepsProof`). Default `false`. */
  keepsProof?: boolean | undefined;
  /** What `sessions` can do: nothing (it is absent), end all of a user, or list them and end one as well. Default `none`. */
  sessions?: 'none' | 'ends all' | 'lists' | undefined;
}

/** Factors that no login step should add. */
const JUNK_FACTORS: readonly unknown[] = [
  ...[{ password: 'now' }, { password: -1 }, { password: 1.5 }, { password: 1e21 }, { password: Number.NaN }],
  ...[{ password: null }, { password: {} }, { password: [1] }, { 'a b': 1 }, { '': 1 }, { constructor: 1 }],
  ...[JSON.parse('{"__proto__":1}') as unknown, { ['x'.repeat(10_000)]: 1 }, { '\ud800': 1 }, [], 'password'],
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
      assert.match(underTest().provider.extensionName, /\S/);
    });

    it('resolves its own token to the user, again and again', async () => {
      const { provider, user } = underTest();
      const token = await provider.issueToken(user);
      for (let i = 0; i < 3; i++) {
        assertSame(await resolve(token), user);
      }
    });

    it('issues unique tokens that a header can carry', async () => {
      const { provider, user } = underTest();
      const tokens = await Promise.all(Array.from({ length: 20 }, () => provider.issueToken(user)));
      assert.equal(new Set(tokens).size, tokens.length);
      for (const token of tokens) {
        assert.match(token, B64_TOKEN);
        assert.ok(token.length < 12_288);
      }
    });

    it('refuses noise', async () => {
      for (const noise of NOISE) {
        await assertRefused(() => resolve(noise), JSON.stringify(noise.slice(0, 80)));
      }
    });

    it('refuses a token with any character changed, missing or added', async () => {
      const { provider, user } = underTest();
      const token = await provider.issueToken(user);
      await assertNoneAlike(token, resolve);
      for (const added of ['A', '=', '.', ' ', '\n', '\0']) {
        await assertRefused(() => resolve(added + token), `its own token after ${JSON.stringify(added)}`);
      }
    });

    it('accepts the end of noise, and a second end', async () => {
      const { provider, user } = underTest();
      const token = await provider.issueToken(user);
      for (const text of [...NOISE, token, token]) {
        await provider.invalidate(text);
      }
    });

    if (traits.canInvalidate) {
      it('ends a token and no other, with a reason', async () => {
        const { provider, user } = underTest();
        const [ended, other] = [await provider.issueToken(user), await provider.issueToken(user)];
        await provider.invalidate(ended);
        await assertRefused(() => resolve(ended), 'an ended token', 'logged-out');
        assert.equal((await resolve(other)).userId, user.userId);
      });

      it('refuses every read that begins after the end of a token', async () => {
        const { provider, user } = underTest();
        const token = await provider.issueToken(user);
        const before = Array.from({ length: 25 }, () => resolve(token).catch(() => undefined));
        await provider.invalidate(token);
        const after = await Promise.allSettled(Array.from({ length: 25 }, () => resolve(token)));
        assert.ok(after.every(({ status }) => status === 'rejected'));
        await Promise.all(before);
        await assertRefused(() => resolve(token), 'an ended token');
      });
    } else {
      it('declares that it cannot end a token: it is valid until it expires', async () => {
        const { provider, user } = underTest();
        const token = await provider.issueToken(user);
        await provider.invalidate(token);
        assert.equal((await resolve(token)).userId, user.userId);
      });
    }

    if (traits.keepsProof === true) {
      describeProof(underTest);
    } else {
      it('declares that it keeps no proof', async () => {
        const { provider, user } = underTest();
        assert.notEqual(provider.keepsProof, true);
        const token = await provider.issueToken(user, { factors: { password: secondsNow() } });
        assertSame(await resolve(token), user);
      });
    }

    describeProviderSessions(traits, underTest);
  });
}

function describeProof(underTest: () => ProviderUnderTest): void {
  const { it } = testRunner();
  const resolve = async (token: string): Promise<ResolvedLogin> => {
    const login = await underTest().provider.resolve?.(token);
    assert.ok(login, 'a provider with keepsProof has the method resolve');
    return login;
  };
  const proofOf = async (proof?: LoginProof) => {
    const { provider, user } = underTest();
    return (await resolve(await provider.issueToken(user, proof))).proof;
  };

  it('declares that it keeps the proof, and resolves to the same user with it', async () => {
    const { provider, user } = underTest();
    assert.equal(provider.keepsProof, true);
    const token = await provider.issueToken(user, { factors: { password: secondsNow() } });
    for (let i = 0; i < 3; i++) {
      const login = await resolve(token);
      assertSame(login.user, user);
      assertProof(login.proof);
    }
    assertSame(await provider.resolveToken(token), user);
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
    assertSame({ factors, actor, expiresAt }, proof);
  });

  it('replaces a token, where it can', async () => {
    const { provider, user } = underTest();
    if (provider.replaceToken === undefined) {
      return;
    }
    const factors = { password: secondsNow() };
    const former = await provider.issueToken(user, { factors: {} });
    const second = await provider.replaceToken(former, user, { factors });
    assertSame((await resolve(second)).proof.factors, factors);
    assertSame((await resolve(second)).user, user);
    await assertRefused(() => resolve(former), 'a token that was replaced', 'replaced');
    const again = async () => provider.replaceToken?.(former, user, { factors });
    await assertRefused(again, 'the replacement of a token that was replaced', 'replaced');
    const third = await provider.replaceToken(second, user, { factors });
    await provider.invalidate(former);
    await assertRefused(() => resolve(third), 'the successor of a token that was ended', 'logged-out');
  });

  it('keeps nothing that it was not given', async () => {
    for (const proof of [undefined, { factors: {} }]) {
      const { factors, actor } = await proofOf(proof);
      assertSame(factors, {});
      assert.equal(actor, undefined);
    }
  });

  it('keeps the id of the login, or gives it one that is not the token', async () => {
    const { provider, user } = underTest();
    const given = `login-1.a_${secondsNow()}`;
    const token = await provider.issueToken(user, { factors: {}, loginId: given });
    const { loginId } = (await resolve(token)).proof;
    assert.ok(loginId !== undefined && LOGIN_ID.test(loginId) && loginId !== token);
    assert.equal((await resolve(token)).proof.loginId, loginId);
  });

  it('keeps the proofs of two logins apart', async () => {
    const times = [secondsNow() - 10, secondsNow()];
    const proofs = await Promise.all(times.map((password) => proofOf({ factors: { password } })));
    assertSame(
      proofs.map(({ factors }) => factors['password']),
      times,
    );
  });

  it('issues no token that outlives the login', async () => {
    const { provider, user } = underTest();
    const expiresAt = secondsNow() + 60;
    const token = await provider.issueToken(user, { factors: {}, expiresAt });
    await resolve(token);
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
        await assertNoCrash(async () => resolve(token), JSON.stringify(factors).slice(0, 80));
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
      await assertRefused(() => resolve(token), 'the token of an ended session', 'password-changed');
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
    assert.equal(await sessions?.end(otherIdThan(user.userId), first, 'kicked'), false);
    assert.equal(await sessions?.end(user.userId, first, 'kicked'), true);
    assert.equal(await sessions?.end(user.userId, first, 'kicked'), false);
    assert.equal(await sessions?.end(user.userId, 'nonsense'), false);
    const outcomes = await Promise.allSettled([resolve(ended), resolve(kept)]);
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.equal((await sessions?.listOf(user.userId))?.length, 1);
  });
}
