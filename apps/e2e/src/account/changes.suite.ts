import { setImmediate as tick } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { AuthErrorCode, AuthEvents, AuthException } from 'kit-auth';
import { AuthUser, type TypeOrmChange, TypeOrmUserStore, serializedWrite } from 'kit-auth/typeorm';
import { type DatabaseName, sharedTestApp, until } from 'test-support';
import { AuditedApp } from '../events/audited-app.js';

const { FORBIDDEN, NOT_FOUND, CONFLICT } = AuthErrorCode;

/** That a change is made as a whole or not at all, and takes nothing else with it. */
export function describeChanges(database: DatabaseName): void {
  describe(`changes on ${database}`, () => {
    const app = sharedTestApp(new AuditedApp({ database, provider: 'session' }));
    let admin: string;
    beforeAll(async () => {
      admin = await app.adminToken();
    });
    afterEach(() => {
      app.sink.keeping = async () => undefined;
    });

    const change = <T>(
      work: (change: TypeOrmChange) => Promise<T>,
      run: 'transaction' | 'administer' = 'transaction',
      action = app.get(AuthEvents).begin(),
    ) => app.get(TypeOrmUserStore)[run](action, work);
    const nicknameOf = async ({ id }: AuthUser) => (await app.users.findOneByOrFail({ id })).nickname;
    const rename = ({ id }: AuthUser, { transaction }: TypeOrmChange) =>
      transaction.update(AuthUser, { id }, { nickname: 'Refused' });
    const auditOf = async (subjectId: number) => {
      for (;;) {
        const types = (await app.audit.findBy({ subjectId: String(subjectId) })).map(({ type }) => type);
        if (types.length > 0) {
          return types;
        }
        await tick();
      }
    };
    /** Whatever can happen beside a change that is held has happened then, or waits for it. */
    const settle = async () => {
      for (let i = 0; i < 20; i++) {
        await tick();
      }
    };

    it.each([FORBIDDEN, NOT_FOUND, CONFLICT])(
      'are rolled back when they are refused with %d',
      async (code) => {
        const user = await app.user();
        for (const run of ['transaction', 'administer'] as const) {
          const refused = change(async (begun) => {
            await rename(user, begun);
            throw new AuthException(code);
          }, run);
          await expect(refused).rejects.toMatchObject({ code });
          expect(await nicknameOf(user)).toBe(user.nickname);
        }
      },
    );

    it('leave the login, the session and the audit record of another request when they are refused', async () => {
      const [user, other] = [await app.user(), await app.user()];
      let login: ReturnType<typeof app.login> | undefined;
      const compare = jest.spyOn(bcrypt, 'compare');
      const refused = change(async (begun) => {
        await rename(user, begun);
        login = app.login(other.username);
        await until(() => compare.mock.results[0]?.value);
        await settle();
        throw new AuthException(CONFLICT);
      });
      await expect(refused).rejects.toMatchObject({ code: CONFLICT });
      compare.mockRestore();
      const { status, json } = await login!;
      expect(status).toBe(200);
      expect(await auditOf(other.id)).toEqual(['login']);
      expect((await app.users.findOneByOrFail({ id: other.id })).lastLoginAt).toBeInstanceOf(Date);
      expect(await app.codeOf(json.token)).toBe(200);
      expect(await nicknameOf(user)).toBe(user.nickname);
    });

    it('leave an event that belongs to no change', async () => {
      const user = await app.user();
      const action = app.get(AuthEvents).begin();
      const refused = change(
        async (begun) => {
          await rename(user, begun);
          action.note({ type: 'user-unlocked', subjectId: user.id });
          await settle();
          throw new AuthException(CONFLICT);
        },
        'transaction',
        action,
      );
      await expect(refused).rejects.toMatchObject({ code: CONFLICT });
      expect(await auditOf(user.id)).toEqual(['user-unlocked']);
    });

    it('do not wait for what is part of them', async () => {
      const user = await app.user();
      const token = await app.tokenOf(user);
      const body = { status: 'DISABLED' };
      expect((await app.call(admin, 'PATCH', `users/${user.id}`, body)).status).toBe(200);
      expect(await app.codeOf(token)).toBe(40101);
    });

    it('are given up when a sink does not answer, and keep nobody from logging in after that', async () => {
      const user = await app.user();
      app.sink.keeping = ({ type }) =>
        type === 'user-changed' ? new Promise(() => undefined) : Promise.resolve();
      const { status, json } = await app.call(admin, 'PATCH', `users/${user.id}`, { nickname: 'New' });
      expect([status, json.code]).toEqual([503, 50300]);
      expect(await nicknameOf(user)).toBe(user.nickname);
      expect((await app.login(user.username)).status).toBe(200);
    });

    if (database === 'sqlite') {
      it('take the writes along that are made inside them', async () => {
        const user = await app.user();
        const { dataSource } = app.users.manager;
        const write = () => app.users.update({ id: user.id }, { nickname: 'Inside' });
        const refused = change(async () => {
          await serializedWrite(dataSource, write);
          throw new AuthException(CONFLICT);
        });
        await expect(refused).rejects.toMatchObject({ code: CONFLICT });
        expect(await nicknameOf(user)).toBe(user.nickname);
      });

      it('do not take along what they have started when it goes on after them', async () => {
        const [user, other] = [await app.user(), await app.user()];
        const { dataSource } = app.users.manager;
        let goOn = (): void => undefined;
        const gate = new Promise<void>((resolve) => (goOn = resolve));
        let late: Promise<unknown> | undefined;
        await change(async () => {
          late = gate.then(() =>
            serializedWrite(dataSource, () => app.users.update({ id: other.id }, { nickname: 'Late' })),
          );
        });
        const refused = change(async (begun) => {
          await rename(user, begun);
          goOn();
          await settle();
          throw new AuthException(CONFLICT);
        });
        await expect(refused).rejects.toMatchObject({ code: CONFLICT });
        await late;
        expect(await nicknameOf(other)).toBe('Late');
      });
    }
  });
}
