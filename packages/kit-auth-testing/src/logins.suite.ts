import assert from 'node:assert/strict';
import type { AuthLogins, LoginProof, LoginUser, Principal, ResolvedLogin } from 'kit-auth';
import {
  assertNoCrash,
  assertProof,
  assertRefused,
  assertSame,
  LOGIN_ID,
  NOISE,
  secondsNow,
} from './assertions.js';
import { testRunner } from './test-runner.js';

export interface LoginsUnderTest {
  logins: AuthLogins;
  /** Two users. For some contributions, they have to be in the database. */
  users: readonly [LoginUser, LoginUser];
}

/** What the contribution does. */
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
  /** A login as the token of its answer resolves to. */
  const open = async (of: 0 | 1 = 0): Promise<ResolvedLogin & { id: string }> => {
    const { logins, users } = underTest();
    const user = users[of];
    const opened = await logins.open({ user, proof: proof() }, CLIENT);
    return { user, proof: opened.proof, id: opened.proof.loginId as string };
  };
  const principalOf = ({ user, proof }: ResolvedLogin): Principal => ({
    ...{ user, proof },
    ...{ scheme: 'suite', token: 'token' },
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
      assert.match(opened.proof.loginId ?? '', LOGIN_ID);
      assert.ok((opened.proof.expiresAt ?? 0) > secondsNow());
      assertSame([opened.proof.factors, opened.proof.actor], [factors, actor]);
    });

    it('add members to the answer of a login that are neither its token nor its user', async () => {
      const { logins, users } = underTest();
      const { answer = {} } = await logins.open({ user: users[0], proof: proof() }, undefined);
      assert.ok(!('token' in answer) && !('user' in answer));
      assertSame(JSON.parse(JSON.stringify(answer)), answer);
    });

    it('are listed oldest first, to their user alone', async () => {
      await endAll();
      const [first, second, foreign] = [await open(), await open(), await open(1)];
      assert.notEqual(first.id, second.id);
      assert.deepEqual(new Set(await idsOf()), new Set([first.id, second.id]));
      assert.deepEqual([...(await idsOf(1))], [foreign.id]);
      const { logins, users } = underTest();
      const listed = await logins.listOf(users[0].userId);
      const began = listed.map(({ createdAt }) => createdAt.getTime());
      assert.ok(began.every((time, i) => time >= (began[i - 1] ?? 0)));
      for (const { address, userAgent, current, expiresAt } of listed) {
        assert.deepEqual([address, userAgent, current], [CLIENT.address, CLIENT.userAgent, false]);
        assert.ok(expiresAt.getTime() > Date.now());
      }
      assert.equal(logins.currentId(), undefined);
    });

    it('pass the check while they are live', async () => {
      const login = await open();
      for (let i = 0; i < 3; i++) {
        await check(login);
      }
    });

    if (checksWithoutPromise) {
      it('are checked without a promise', async () => {
        const login = await open();
        const answer: unknown = underTest().logins.check(principalOf(login));
        assert.equal(answer, undefined);
      });
    }

    it('end one by one, with the reason', async () => {
      const { logins, users } = underTest();
      const [ended, live] = [await open(), await open()];
      assert.equal(await logins.end(users[0].userId, ended.id, 'logged-out'), true);
      await assertRefused(() => check(ended), 'an ended login', 'logged-out');
      await check(live);
      assert.ok(!(await idsOf()).includes(ended.id));
      assert.equal(await logins.end(users[0].userId, ended.id, 'disabled'), false);
      await assertRefused(() => check(ended), 'a login that was ended twice', 'logged-out');
    });

    it('end for their user alone', async () => {
      const { logins, users } = underTest();
      const login = await open();
      assert.equal(await logins.end(users[1].userId, login.id, 'kicked'), false);
      await logins.endAllOf(users[1].userId);
      await check(login);
    });

    it('end all at once, or all but one', async () => {
      const { logins, users } = underTest();
      await endAll();
      const [kept, other, another] = [await open(), await open(), await open()];
      const options = { exceptId: kept.id, reason: 'password-changed' } as const;
      assert.equal(await logins.endAllOf(users[0].userId, options), 2);
      for (const login of [other, another]) {
        await assertRefused(() => check(login), 'an ended login', 'password-changed');
      }
      await check(kept);
      assert.equal(await logins.endAllOf(users[0].userId), 1);
      await assertRefused(() => check(kept), 'an ended login', 'kicked');
      assert.deepEqual([...(await idsOf())], []);
    });

    it('end once, however many ask at the same time', async () => {
      const { logins, users } = underTest();
      const { id } = await open();
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => logins.end(users[0].userId, id)));
      assert.equal(outcomes.filter(Boolean).length, 1);
    });

    it('stay over: no check that begins after the end passes', async () => {
      const { logins, users } = underTest();
      const login = await open();
      const before = Array.from({ length: 10 }, () => check(login).catch(() => undefined));
      await logins.end(users[0].userId, login.id, 'logged-out');
      const after = await Promise.allSettled(Array.from({ length: 10 }, () => check(login)));
      assert.ok(after.every(({ status }) => status === 'rejected'));
      await Promise.all(before);
    });

    it('refuse an id that they did not give', async () => {
      const { logins, users } = underTest();
      for (const loginId of NOISE) {
        const login = { user: users[0], proof: { factors: {}, loginId } };
        await assertRefused(() => check(login), `the id ${JSON.stringify(loginId.slice(0, 80))}`);
        assert.equal(await logins.end(users[0].userId, loginId), false);
      }
      await assertNoCrash(() => check({ user: users[0], proof: { factors: {} } }), 'a proof without a login');
    });

    if (renews) {
      const renew = async (login: ResolvedLogin) => {
        const renewed = await underTest().logins.renew?.(login, CLIENT);
        assert.ok(renewed !== undefined, 'there is no renew');
        return renewed;
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
        assertSame([renewed.proof.loginId, renewed.proof.factors], [login.id, factors]);
        assert.ok((renewed.proof.expiresAt ?? 0) > secondsNow());
        assertSame(await endOf(), before);
        await check({ ...login, proof: renewed.proof });
        await check(login);
        await logins.end(users[0].userId, login.id);
        await assertRefused(() => check({ ...login, proof: renewed.proof }), 'an ended login', 'kicked');
      });

      it('do not go on once they are over, or for another user', async () => {
        const { logins, users } = underTest();
        const [ended, foreign] = [await open(), await open(1)];
        await logins.end(users[0].userId, ended.id, 'logged-out');
        await assertRefused(() => renew(ended), 'the renewal of an ended login', 'logged-out');
        await assertRefused(() => renew({ user: users[0], proof: foreign.proof }), "another user's login");
        for (const loginId of NOISE) {
          const login = { user: users[0], proof: { factors: {}, loginId } };
          await assertRefused(() => renew(login), `the id ${JSON.stringify(loginId.slice(0, 80))}`);
        }
        await check(foreign);
      });
    }

    it('refuse the login of another user', async () => {
      const { users } = underTest();
      const foreign = await open(1);
      await assertRefused(() => check({ user: users[0], proof: foreign.proof }), "another user's login");
    });
  });
}
