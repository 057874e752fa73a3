import type { AuthLogins, LoginProof, LoginUser, Principal, ResolvedLogin } from 'kit-auth';
import {
  assertAccepted,
  assertJson,
  assertNoCrash,
  assertProof,
  assertRefused,
  assertSame,
  assertThat,
  LOGIN_ID,
  NOISE,
  secondsNow,
  shown,
} from './assertions.js';
import { testRunner } from './test-runner.js';

export interface LoginsUnderTest {
  logins: AuthLogins;
  /** Two users. For some contributions, they have to be in the database. */
  users: readonly [LoginUser, LoginUser];
}

/** The capabilities of the contribution. */
export interface LoginsTraits {
  /** Whether `check` answers without a promise, at least for a login that was opened a moment ago. Default `false`. */
  checksWithoutPromise?: boolean | undefined;
  /** Whether there is a `renew`. Default `false`. */
  renews?: boolean | undefined;
}

const CLIENT = { address: '2001:db8::1', userAgent: 'suite/1.0 (test)', hasLeft: () => false };

/**
 * Defines the tests that every contribution to `AUTH_LOGINS` has to pass.
 *
 * @param underTest returns the contribution, ready to use. It is called in tests, not before.
 * @example
 * ```ts
 * const logins = new MemoryLogins();
 *
 * describeLogins('memory', { checksWithoutPromise: true }, () => ({ logins, users: [ada, grace] }));
 * ```
 */
export function describeLogins(
  name: string,
  { checksWithoutPromise = false, renews = false }: LoginsTraits,
  underTest: () => LoginsUnderTest,
): void {
  const { describe, it } = testRunner();
  const proof = (): LoginProof => ({ factors: { password: secondsNow() } });
  /** A login, as the token of its answer resolves. */
  const open = async (of: 0 | 1 = 0): Promise<ResolvedLogin & { id: string }> => {
    const { logins, users } = underTest();
    const user = users[of];
    const opened = await logins.open({ user, proof: proof() }, CLIENT);
    return { user, proof: opened.proof, id: opened.proof.loginId as string };
  };
  const principalOf = ({ user, proof }: ResolvedLogin): Principal => ({
    user,
    proof,
    scheme: 'suite',
    token: 'token',
  });
  const check = async (login: ResolvedLogin) => underTest().logins.check(principalOf(login));
  const idsOf = async (of: 0 | 1 = 0) => {
    const { logins, users } = underTest();
    return (await logins.listOf(users[of].userId)).map(({ id }) => id);
  };
  const endAll = async () => {
    const { logins, users } = underTest();
    await Promise.all(users.map(({ userId }) => logins.endAllOf(userId)));
  };

  describe(`the logins ${name}`, () => {
    it('open with an id and an end, and keep what the user proved', async () => {
      const { logins, users } = underTest();
      const { factors } = proof();
      const actor = { userId: users[1].userId, username: users[1].username };
      const opened = await logins.open({ user: users[0], proof: { factors, actor } }, CLIENT);
      assertProof(opened.proof);
      const { loginId, expiresAt } = opened.proof;
      assertThat(
        loginId !== undefined && LOGIN_ID.test(loginId),
        `expected the proof of open() to have a loginId of 1 to 64 letters, digits, "_", "." or "-", but it is ${shown(loginId)}`,
      );
      assertIsAhead(expiresAt, 'open()');
      assertSame(
        [opened.proof.factors, opened.proof.actor],
        [factors, actor],
        'the factors and the actor of open()',
      );
    });

    it('add members to the answer of a login that are neither its token nor its user', async () => {
      const { logins, users } = underTest();
      const { answer = {} } = await logins.open({ user: users[0], proof: proof() }, undefined);
      const names = Object.keys(answer).filter((name) => name === 'token' || name === 'user');
      assertSame(names, [], 'the members of the answer of open() that a login has already (token, user)');
      assertJson(answer, 'the answer of open()');
    });

    it('are listed oldest first, to their user alone', async () => {
      await endAll();
      const [first, second, foreign] = [await open(), await open(), await open(1)];
      assertThat(
        first.id !== second.id,
        `expected two logins to have different ids, but both have ${first.id}`,
      );
      assertSame(
        (await idsOf()).sort(),
        [first.id, second.id].sort(),
        'the ids that listOf() returns (sorted)',
      );
      assertSame(await idsOf(1), [foreign.id], 'the ids that listOf() returns for another user');
      const { logins, users } = underTest();
      const listed = await logins.listOf(users[0].userId);
      const began = listed.map(({ createdAt }) => createdAt.getTime());
      assertSame(
        began,
        [...began].sort((a, b) => a - b),
        'the order of createdAt in listOf(), the oldest first,',
      );
      for (const { address, userAgent, current, expiresAt } of listed) {
        const seen = { address, userAgent, current };
        const expected = { address: CLIENT.address, userAgent: CLIENT.userAgent, current: false };
        assertSame(seen, expected, 'a login in listOf()');
        assertIsAhead(expiresAt.getTime() / 1000, 'a login in listOf()');
      }
      assertSame(logins.currentId(), undefined, 'the result of currentId() outside of a request');
    });

    it('pass the check while they are live', async () => {
      const login = await open();
      for (let i = 0; i < 3; i++) {
        await assertAccepted(() => check(login), 'check() of a live login');
      }
    });

    if (checksWithoutPromise) {
      it('are checked without a promise', async () => {
        const login = await open();
        const answer: unknown = underTest().logins.check(principalOf(login));
        assertSame(answer, undefined, 'the result of check(), with the trait checksWithoutPromise,');
      });
    }

    it('end one by one, with the reason', async () => {
      const { logins, users } = underTest();
      const [ended, live] = [await open(), await open()];
      const { userId } = users[0];
      assertSame(
        await logins.end(userId, ended.id, 'logged-out'),
        true,
        'the result of end() for a live login',
      );
      await assertRefused(() => check(ended), 'check() of a login after end()', 'logged-out');
      await assertAccepted(() => check(live), 'check() of a login after the end of another one');
      const isListed = (await idsOf()).includes(ended.id);
      assertThat(!isListed, 'expected listOf() to leave out a login that is over, but it has one');
      const again = await logins.end(userId, ended.id, 'disabled');
      assertSame(again, false, 'the result of end() for a login that is over');
      await assertRefused(() => check(ended), 'check() of a login that was ended twice', 'logged-out');
    });

    it('end for their user alone', async () => {
      const { logins, users } = underTest();
      const login = await open();
      const isEnded = await logins.end(users[1].userId, login.id, 'kicked');
      assertSame(isEnded, false, "the result of end() for another user's login");
      await logins.endAllOf(users[1].userId);
      await assertAccepted(() => check(login), 'check() of a login after the ends of another user');
    });

    it('are found by their ids while they are live', async () => {
      const { logins, users } = underTest();
      const [{ userId }, other] = users;
      const { id } = await open();
      if (logins.liveIdOf !== undefined) {
        assertSame(await logins.liveIdOf(userId, id), id, 'the result of liveIdOf() for a live login');
        const ofOther = await logins.liveIdOf(other.userId, id);
        assertSame(ofOther, undefined, "the result of liveIdOf() for another user's login");
        await logins.end(userId, id);
        const ended = await logins.liveIdOf(userId, id);
        assertSame(ended, undefined, 'the result of liveIdOf() for a login that is over');
      }
    });

    it('end all at once, or all but one', async () => {
      const { logins, users } = underTest();
      await endAll();
      const [kept, other, another] = [await open(), await open(), await open()];
      const options = { exceptId: kept.id, reason: 'password-changed' } as const;
      const { userId } = users[0];
      assertSame(
        await logins.endAllOf(userId, options),
        2,
        'the result of endAllOf() but one, with three logins,',
      );
      for (const login of [other, another]) {
        await assertRefused(() => check(login), 'check() of a login after endAllOf()', 'password-changed');
      }
      await assertAccepted(() => check(kept), 'check() of the login that endAllOf() spares (exceptId)');
      assertSame(await logins.endAllOf(userId), 1, 'the result of endAllOf() with one login left');
      await assertRefused(
        () => check(kept),
        'check() of a login after endAllOf() without a reason',
        'kicked',
      );
      assertSame(await idsOf(), [], 'the ids that listOf() returns after endAllOf()');
    });

    it('end once, however many ask at the same time', async () => {
      const { logins, users } = underTest();
      const { id } = await open();
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => logins.end(users[0].userId, id)));
      const count = outcomes.filter(Boolean).length;
      assertSame(
        count,
        1,
        'the number of calls that return true, of ten calls of end() for one login at once,',
      );
    });

    it('stay over: no check that begins after the end passes', async () => {
      const { logins, users } = underTest();
      const login = await open();
      const before = Array.from({ length: 10 }, () => check(login).catch(() => undefined));
      await logins.end(users[0].userId, login.id, 'logged-out');
      const after = await Promise.allSettled(Array.from({ length: 10 }, () => check(login)));
      const accepted = after.filter(({ status }) => status === 'fulfilled').length;
      assertSame(accepted, 0, 'the number of checks that pass although they began after end()');
      await Promise.all(before);
    });

    it('refuse an id that they did not give', async () => {
      const { logins, users } = underTest();
      for (const loginId of NOISE) {
        const login = { user: users[0], proof: { factors: {}, loginId } };
        const id = JSON.stringify(loginId.slice(0, 80));
        await assertRefused(() => check(login), `check() of the unknown id ${id}`);
        assertSame(
          await logins.end(users[0].userId, loginId),
          false,
          `the result of end() for the unknown id ${id}`,
        );
      }
      const withoutLogin = { user: users[0], proof: { factors: {} } };
      await assertNoCrash(() => check(withoutLogin), 'check() of a proof without a login');
    });

    if (renews) {
      const renew = async (login: ResolvedLogin) => {
        const { logins } = underTest();
        assertThat(
          logins.renew !== undefined,
          'expected the contribution to have the method renew(), as the trait renews says, but it has none',
        );
        return logins.renew(login, CLIENT);
      };

      it('go on with new factors, under the same id and until the same end', async () => {
        const { logins, users } = underTest();
        const login = await open();
        const endOf = async () =>
          (await logins.listOf(users[0].userId)).find(({ id }) => id === login.id)?.expiresAt;
        const before = await endOf();
        const factors = { password: secondsNow(), totp: secondsNow() };
        const renewed = await renew({ ...login, proof: { ...login.proof, factors } });
        assertProof(renewed.proof);
        const { proof: renewedProof } = renewed;
        assertSame(renewedProof.loginId, login.id, 'the loginId of renew(), which stays the same,');
        assertSame(renewedProof.factors, factors, 'the factors of renew()');
        assertIsAhead(renewedProof.expiresAt, 'renew()');
        assertSame(
          await endOf(),
          before,
          'expiresAt of a login in listOf() after renew(), which stays the same,',
        );
        const further = { ...login, proof: renewedProof };
        await assertAccepted(() => check(further), 'check() of a renewed login');
        await assertAccepted(() => check(login), 'check() of the former proof of a renewed login');
        await logins.end(users[0].userId, login.id);
        await assertRefused(() => check(further), 'check() of a renewed login after end()', 'kicked');
      });

      it('do not go on once they are over, or for another user', async () => {
        const { logins, users } = underTest();
        const [ended, foreign] = [await open(), await open(1)];
        await logins.end(users[0].userId, ended.id, 'logged-out');
        await assertRefused(() => renew(ended), 'renew() of a login after end()', 'logged-out');
        const stolen = { user: users[0], proof: foreign.proof };
        await assertRefused(() => renew(stolen), "renew() of another user's login");
        for (const loginId of NOISE) {
          const login = { user: users[0], proof: { factors: {}, loginId } };
          const what = `renew() of the unknown id ${JSON.stringify(loginId.slice(0, 80))}`;
          await assertRefused(() => renew(login), what);
        }
        await assertAccepted(() => check(foreign), 'check() of a login that another user tried to renew');
      });
    }

    it('refuse the login of another user', async () => {
      const { users } = underTest();
      const foreign = await open(1);
      const stolen = { user: users[0], proof: foreign.proof };
      await assertRefused(() => check(stolen), "check() of another user's login");
    });
  });
}

/** @param seconds since 1970 */
function assertIsAhead(seconds: number | undefined, where: string): void {
  assertThat(
    seconds !== undefined && seconds > secondsNow(),
    `expected expiresAt of ${where} to be in the future, but it is ${shown(seconds)}, and now it is ${secondsNow()}`,
  );
}
