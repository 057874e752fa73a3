import { beforeEach, describe, expect, it } from '@jest/globals';
import { AuthErrorCode, AuthException } from 'kit-auth';
import type { AuthOneTime, OneTimeTokenFilter } from 'kit-auth/store';
import { AuthUserStatus } from 'kit-auth/typeorm';
import {
  atOnce,
  type DatabaseName,
  freezeDate,
  sharedDatabase,
  sharedTestApp,
  SilentProxy,
} from 'test-support';
import { DataSource } from 'typeorm';
import { countsOf } from '../factors/app.js';
import { OneTimeApp, outcomeOf, rowsOf } from './app.js';

const DAY_MS = 24 * 60 * 60_000;
const PORTS = { postgres: 5432, mariadb: 3306 } as const;

/** Tokens that work once, with two instances of an application on one database. */
export function describeOneTime(name: DatabaseName): void {
  describe(`one-time tokens on ${name}`, () => {
    const database = sharedDatabase(name);
    const app = sharedTestApp(new OneTimeApp(database, true));
    const other = sharedTestApp(new OneTimeApp(database));
    /** A transaction of SQLite keeps the other instance from writing, and both are in this process. */
    const transactional = name === 'sqlite' ? [app] : [app, other];
    beforeEach(() => app.oneTime.clear());

    const peeked = (token: string, purpose = 'reset') => outcomeOf(other.tokens.peek(purpose, token));

    it('are issued by one instance, and looked up and claimed by the other', async () => {
      const { id: userId } = await app.user();
      await app.changePassword(userId);
      const data = { address: 'zoë@example.org', nickname: '\u{1f600} \0', text: 'é'.repeat(980) };
      const { token, id, expiresAt } = await app.issue({ userId, subject: 'ada@example.org', data });
      const found = await other.tokens.peek('reset', token);
      expect(found).toEqual({
        id,
        purpose: 'reset',
        userId,
        subject: 'ada@example.org',
        data,
        attempts: 0,
        expiresAt,
        createdAt: new Date(expiresAt.getTime() - 3600_000),
        stamp: await app.stampOf(userId),
      });
      expect(await peeked(token)).toBe('ok');
      expect(await outcomeOf(other.claimInChange(token))).toBe('ok');
      for (const instance of [app, other]) {
        expect(await outcomeOf(instance.tokens.peek('reset', token))).toBe('40010');
        expect(await outcomeOf(instance.tokens.claim('reset', token, undefined))).toBe('40010');
        expect(await outcomeOf(instance.tokens.attempt('reset', token, 5))).toBe('40010');
      }
    });

    it('need no user, subject or data', async () => {
      const { token, id } = await app.issue();
      expect(await other.tokens.peek('reset', token)).toMatchObject({ id, userId: undefined, stamp: '' });
    });

    it.each<[string, OneTimeApp[], (instance: OneTimeApp, token: string) => Promise<void>]>([
      ['in a transaction', transactional, (instance, token) => instance.claimInChange(token)],
      [
        'without a transaction',
        [app, other],
        (instance, token) => instance.tokens.claim('reset', token, undefined),
      ],
    ])('are claimed by one of twenty at once %s', async (_, instances, claim) => {
      const { token } = await app.issue();
      const claims = await atOnce([app, other], 20, (i) =>
        outcomeOf(claim(instances[i % instances.length]!, token)),
      );
      expect(countsOf(claims)).toEqual({ ok: 1, 40010: 19 });
    });

    it('are usable again after the change was rolled back', async () => {
      const { token } = await app.issue();
      const refused = app.change(async ({ transaction }) => {
        await app.tokens.claim('reset', token, transaction);
        throw new AuthException(AuthErrorCode.CONFLICT);
      });
      expect(await outcomeOf(refused)).toBe('40900');
      expect(await peeked(token)).toBe('ok');
      expect(await outcomeOf(other.claimInChange(token))).toBe('ok');
    });

    it('are usable again after a process died between claim and commit', async () => {
      const { token } = await app.issue();
      const dying = await new OneTimeApp(database).start();
      const dataSource = dying.get(DataSource);
      const runner = dataSource.createQueryRunner();
      await runner.startTransaction();
      await dying.tokens.claim('reset', token, runner.manager);
      expect(await outcomeOf(dying.tokens.claim('reset', token, runner.manager))).toBe('40010');
      await endConnection(name, runner, app.get(DataSource));
      expect(await peeked(token)).toBe('ok');
      expect(await outcomeOf(other.claimInChange(token))).toBe('ok');
    });

    it('are used up at once where the transaction is not of their data source', async () => {
      for (const transaction of [undefined, null, {}, 'tx', other.get(DataSource).manager]) {
        const { token } = await app.issue();
        await app.tokens.claim('reset', token, transaction);
        expect(await peeked(token)).toBe('40010');
      }
    });

    it('are issued and cancelled with a change, or not at all', async () => {
      const kept = await app.issue({ subject: 'ada' });
      let issued = '';
      const refused = app.change(async ({ transaction }) => {
        const wanted = { purpose: 'reset', subject: 'ada', ttlSeconds: 60, replaces: true };
        issued = (await app.tokens.issue(wanted, transaction)).token;
        expect(await app.tokens.cancel({ subject: 'ada' }, transaction)).toBe(1);
        throw new AuthException(AuthErrorCode.CONFLICT);
      });
      expect(await outcomeOf(refused)).toBe('40900');
      expect([await peeked(kept.token), await peeked(issued)]).toEqual(['ok', '40010']);
    });

    it('serve their own purpose alone', async () => {
      const { token, id } = await app.issue({ purpose: 'verify-address' });
      for (const purpose of ['reset', 'verify']) {
        expect(await peeked(token, purpose)).toBe('40010');
        expect(await outcomeOf(app.claimInChange(token, purpose))).toBe('40010');
        expect(await outcomeOf(app.tokens.attempt(purpose, token, 5))).toBe('40010');
        expect(await app.tokens.list({ purpose })).toEqual([]);
      }
      await expect(app.tokens.peek('Verify-address', token)).rejects.toThrow('lower-case');
      expect(await app.tokens.list({ purpose: 'verify-address' })).toMatchObject([{ id }]);
      expect(await peeked(token, 'verify-address')).toBe('ok');
    });

    it('expire, and are remembered for a week', async () => {
      const moveDate = freezeDate();
      const { token } = await app.issue({ ttlSeconds: 601 });
      const rows = rowsOf(app);
      moveDate(600_999);
      expect([await peeked(token), (await app.tokens.list({ purpose: 'reset' })).length]).toEqual(['ok', 1]);
      moveDate(1);
      expect(await peeked(token)).toBe('40010 expired');
      expect(await outcomeOf(app.claimInChange(token))).toBe('40010 expired');
      expect(await outcomeOf(app.tokens.claim('reset', token, undefined))).toBe('40010 expired');
      expect(await outcomeOf(app.tokens.attempt('reset', token, 5))).toBe('40010 expired');
      expect(await peeked(token, 'verify-address')).toBe('40010');
      expect(await app.tokens.list({ purpose: 'reset' })).toEqual([]);
      moveDate(7 * DAY_MS);
      expect(await rows.prune(Date.now())).toBe(0);
      expect(await peeked(token)).toBe('40010 expired');
      moveDate(1);
      await app.issue();
      expect([await rows.prune(Date.now()), await rows.prune(Date.now())]).toEqual([1, 0]);
      expect(await peeked(token)).toBe('40010');
      expect(await app.oneTime.count()).toBe(1);
    });

    it('expire, and are forgotten at once after a life of ten minutes', async () => {
      const moveDate = freezeDate();
      const rows = rowsOf(app);
      const [attempt, code] = [await app.issue({ ttlSeconds: 600 }), await app.issue({ ttlSeconds: 1 })];
      const link = await app.issue({ ttlSeconds: 601 });
      moveDate(1000);
      expect([await rows.prune(Date.now()), await rows.prune(Date.now())]).toEqual([1, 0]);
      expect([await peeked(code.token), await peeked(attempt.token)]).toEqual(['40010', 'ok']);
      moveDate(600_000);
      expect([await rows.prune(Date.now()), await rows.prune(Date.now())]).toEqual([1, 0]);
      expect([await peeked(attempt.token), await peeked(link.token)]).toEqual(['40010', '40010 expired']);
    });

    it('end when the stamp of their user changes, or their user is disabled', async () => {
      const [changed, disabled] = [await app.user(), await app.user()];
      const links = [await app.issue({ userId: changed.id }), await app.issue({ userId: disabled.id })];
      await app.changePassword(changed.id);
      await app.users.update(disabled.id, { status: AuthUserStatus.DISABLED });
      for (const { token } of links) {
        expect(await peeked(token)).toBe('40010');
      }
    });

    it('are not issued to users who are unknown or disabled', async () => {
      const { id } = await app.user({ status: 'DISABLED' as never });
      expect(await outcomeOf(app.issue({ userId: id }))).toBe('40400');
      expect(await outcomeOf(app.issue({ userId: 2 ** 31 - 1 }))).toBe('40400');
      expect(await app.oneTime.count()).toBe(0);
    });

    it('allow as many attempts as their reader says, however many come at once', async () => {
      const { token } = await app.issue();
      const attempts = await atOnce([app, other], 50, (i) =>
        outcomeOf((i % 2 === 0 ? app : other).tokens.attempt('reset', token, 5)),
      );
      expect(countsOf(attempts)).toEqual({ ok: 5, 40010: 45 });
      expect(await app.oneTime.findOneByOrFail({})).toMatchObject({ attempts: 5 });
      expect(await outcomeOf(app.tokens.attempt('reset', token, 0))).toBe('40010');
      expect(await outcomeOf(app.tokens.attempt('reset', token, 6))).toBe('ok');
    });

    it('allow an attempt again that was given back, and no more than that', async () => {
      const { token } = await app.issue();
      await app.tokens.giveBack('reset', token);
      expect(await outcomeOf(app.tokens.attempt('reset', token, 1))).toBe('ok');
      await Promise.all(Array.from({ length: 5 }, () => app.tokens.giveBack('reset', token)));
      expect(await app.oneTime.findOneByOrFail({})).toMatchObject({ attempts: 0 });
      expect(await outcomeOf(app.tokens.attempt('reset', token, 1))).toBe('ok');
      await app.tokens.giveBack('verify-address', token);
      expect(await outcomeOf(app.tokens.attempt('reset', token, 1))).toBe('40010');
      expect(await outcomeOf(app.tokens.giveBack('reset', 'junk'))).toBe('40010');
    });

    it('replace those of their purpose and user, or subject', async () => {
      const [ada, bob] = [await app.user(), await app.user()];
      const links = {
        ada: await app.issue({ userId: ada.id }),
        bob: await app.issue({ userId: bob.id, subject: 'x' }),
        x: await app.issue({ subject: 'x' }),
        y: await app.issue({ subject: 'y' }),
        capital: await app.issue({ subject: 'X' }),
      };
      const verify = await app.issue({ userId: ada.id, purpose: 'verify-address' });
      const live = async () => {
        const states = await Promise.all(Object.values(links).map(({ token }) => peeked(token)));
        return Object.keys(links).filter((_, i) => states[i] === 'ok');
      };
      await app.issue({ userId: ada.id });
      expect(await live()).toEqual(['ada', 'bob', 'x', 'y', 'capital']);
      const again = await app.issue({ userId: ada.id, replaces: true });
      expect([await live(), await peeked(again.token)]).toEqual([['bob', 'x', 'y', 'capital'], 'ok']);
      expect(await peeked(verify.token, 'verify-address')).toBe('ok');
      await app.issue({ subject: 'x', replaces: true });
      expect(await live()).toEqual(['bob', 'y', 'capital']);
    });

    it('replace a former one, however many do so at once', async () => {
      const { id: userId } = await app.user();
      for (const about of [{ subject: 'ada' }, { userId }]) {
        await app.oneTime.clear();
        await app.issue(about);
        await Promise.all(
          Array.from({ length: 8 }, (_, i) =>
            transactional[i % transactional.length]!.issue({ ...about, replaces: true }),
          ),
        );
        expect(await app.oneTime.count()).toBe(1);
      }
    });

    it('are cancelled by id, user, subject and purpose', async () => {
      const { id: userId } = await app.user();
      const make = () =>
        Promise.all([
          app.issue({ userId }),
          app.issue({ userId, purpose: 'change-address' }),
          app.issue({ purpose: 'invite', subject: 'ada' }),
          app.issue({ purpose: 'invite', subject: 'bob' }),
        ]);
      const cancelled = async (which: OneTimeTokenFilter) => {
        await app.oneTime.clear();
        await make();
        const count = await other.tokens.cancel(which);
        expect(await app.oneTime.count()).toBe(4 - count);
        return count;
      };
      expect(await cancelled({ userId })).toBe(2);
      expect(await cancelled({ userId, purpose: 'reset' })).toBe(1);
      expect(await cancelled({ purpose: 'invite' })).toBe(2);
      expect(await cancelled({ subject: 'ada' })).toBe(1);
      expect(await cancelled({ subject: 'ADA' })).toBe(0);
      const [{ id }] = await make();
      expect(await other.tokens.cancel({ id: id.toUpperCase() })).toBe(0);
      expect(await other.tokens.cancel({ id })).toBe(1);
      for (const which of [{}, { id: undefined, userId: undefined }]) {
        await expect(app.tokens.cancel(which as OneTimeTokenFilter)).rejects.toThrow('Say which');
      }
    });

    it('are listed by purpose, oldest first', async () => {
      const moveDate = freezeDate();
      await app.issue({ ttlSeconds: 1 });
      const ids: string[] = [];
      for (const subject of ['c', 'a', 'b']) {
        moveDate(1000);
        ids.push((await app.issue({ subject, data: { subject } })).id);
      }
      await app.issue({ purpose: 'invite' });
      const listed = await other.tokens.list({ purpose: 'reset' });
      expect(listed.map(({ id }) => id)).toEqual(ids);
      expect(listed[0]).toMatchObject({ subject: 'c', data: { subject: 'c' }, userId: undefined });
      expect(Object.keys(listed[0]!)).not.toContain('stamp');
    });

    it('are listed by id, user and subject', async () => {
      const { id: userId } = await app.user();
      const [ofUser, ada] = [await app.issue({ userId }), await app.issue({ subject: 'ada' })];
      await app.issue({ subject: 'ada', ttlSeconds: 60, purpose: 'invite' });
      const ids = async (filter: OneTimeTokenFilter) =>
        (await other.tokens.list({ purpose: 'reset', ...filter })).map(({ id }) => id);
      expect(await ids({ userId })).toEqual([ofUser.id]);
      expect(await ids({ subject: 'ada' })).toEqual([ada.id]);
      expect(await ids({ id: ada.id, subject: 'ada' })).toEqual([ada.id]);
      const none = [{ userId, subject: 'ada' }, { subject: 'ADA' }, { id: ada.id.toUpperCase() }];
      for (const filter of [...none, { id: '\0' }, { id: '\u{1f600}' }]) {
        expect(await ids(filter)).toEqual([]);
      }
    });

    it('are looked up, tried and claimed as a list has them, but not as an object that only has the id', async () => {
      const { id: userId } = await app.user();
      const { id } = await app.issue({ userId, subject: 'ada@example.org' });
      const [listed] = await other.tokens.list({ purpose: 'reset', subject: 'ada@example.org' });
      for (const stranger of [{ ...listed! }, { id }] as (typeof listed)[]) {
        expect(await outcomeOf(other.tokens.peek('reset', stranger!))).toBe('40010');
        expect(await outcomeOf(other.tokens.attempt('reset', stranger!, 5))).toBe('40010');
        expect(await outcomeOf(other.tokens.claim('reset', stranger!, undefined))).toBe('40010');
      }
      expect(await outcomeOf(other.tokens.peek('verify', listed!))).toBe('40010');
      await other.tokens.attempt('reset', listed!, 5);
      expect(await other.tokens.peek('reset', listed!)).toMatchObject({ id, userId, attempts: 1 });
      expect(await outcomeOf(other.tokens.claim('reset', listed!, undefined))).toBe('ok');
      expect(await outcomeOf(other.tokens.peek('reset', listed!))).toBe('40010');
    });

    it('cost one read when they are unknown, and nothing when they are malformed', async () => {
      const { token } = await app.issue();
      await app.tokens.claim('reset', token, undefined);
      for (const bad of [`${token.slice(0, -1)}~`, [token]] as string[]) {
        const calls = async () => {
          expect(await outcomeOf(app.tokens.peek('reset', bad))).toBe('40010');
          expect(await outcomeOf(app.tokens.claim('reset', bad, undefined))).toBe('40010');
          expect(await outcomeOf(app.tokens.attempt('reset', bad, 5))).toBe('40010');
        };
        expect(await app.statementsOf(calls)).toBe(0);
      }
      expect(await app.statementsOf(() => outcomeOf(app.tokens.peek('reset', token)))).toBe(1);
      const { token: live } = await app.issue({ userId: (await app.user()).id });
      expect(await app.statementsOf(() => outcomeOf(app.tokens.peek('verify-address', live)))).toBe(1);
      expect(await app.statementsOf(() => app.tokens.peek('reset', live))).toBe(2);
    });

    it.each<Partial<Record<keyof AuthOneTime, unknown>>>([{ data: '{' }, { attempts: -7 }, { stamp: null }])(
      'are refused when somebody has written %j into their row',
      async (fields) => {
        const { token, id } = await app.issue({ userId: (await app.user()).id, data: {} });
        await app.oneTime.update({ id }, fields as never);
        expect(await peeked(token)).toBe('40010');
        expect(await outcomeOf(app.tokens.list({ purpose: 'reset' }))).toBe('ok');
        if ('attempts' in fields) {
          expect(await outcomeOf(app.tokens.attempt('reset', token, 5))).toBe('40010');
        }
      },
    );

    it('are refused with 50300 when the database fails', async () => {
      const { token } = await app.issue();
      await app.oneTime.query('ALTER TABLE auth_one_time RENAME TO away');
      const calls = [
        () => app.issue({ subject: 'ada', replaces: true }),
        () => app.tokens.peek('reset', token),
        () => app.tokens.claim('reset', token, undefined),
        () => app.tokens.attempt('reset', token, 5),
        () => app.tokens.cancel({ purpose: 'reset' }),
        () => app.tokens.list({ purpose: 'reset' }),
      ];
      for (const call of calls) {
        await expect(call()).rejects.toMatchObject({ code: 50300, retryAfter: 1 });
      }
      await app.oneTime.query('ALTER TABLE away RENAME TO auth_one_time');
      expect(app.logs.all()).not.toContain(token);
      expect(await peeked(token)).toBe('ok');
    });

    if (name !== 'sqlite') {
      it('are refused with 50300 when the database is away', async () => {
        const proxy = new SilentProxy(PORTS[name]);
        await proxy.listen();
        const { url } = database.options as { url: string };
        const options = {
          ...database.options,
          url: Object.assign(new URL(url), { port: proxy.port }).href,
          extra: name === 'postgres' ? { max: 1 } : { connectionLimit: 1 },
        };
        const cut = await new OneTimeApp({ ...database, options }).start();
        const { token } = await cut.issue();
        proxy.silence();
        const { tokens } = cut;
        const calls = [tokens.peek('reset', token), tokens.claim('reset', token, undefined), cut.issue()];
        const outcomes = await Promise.all(calls.map(outcomeOf));
        await proxy.close();
        await cut.close();
        expect(outcomes).toEqual(['50300', '50300', '50300']);
        expect(await peeked(token)).toBe('ok');
      });
    }
  });
}

/** Ends the connection of a transaction as the death of its process does. */
async function endConnection(
  name: DatabaseName,
  runner: ReturnType<DataSource['createQueryRunner']>,
  other: DataSource,
): Promise<void> {
  if (name === 'sqlite') {
    ((await runner.connect()) as { close: () => void }).close();
    return;
  }
  const isPostgres = name === 'postgres';
  const [{ id }] = (await runner.query(
    isPostgres ? 'SELECT pg_backend_pid() AS id' : 'SELECT CONNECTION_ID() AS id',
  )) as [{ id: number }];
  await other.query(isPostgres ? `SELECT pg_terminate_backend(${id})` : `KILL ${id}`);
  await expect(runner.query('SELECT 1')).rejects.toThrow();
}
