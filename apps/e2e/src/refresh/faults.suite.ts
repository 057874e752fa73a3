import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AuthLogin } from 'kit-auth-refresh/typeorm';
import { type DatabaseName, freezeDate } from 'test-support';
import { DataSource, type EntityManager } from 'typeorm';
import { RefreshApp } from './app.js';

type Update = EntityManager['update'];

/** What happens when the database fails at the worst moment. */
export function describeRefreshFaults(database: DatabaseName): void {
  describe(`refresh tokens on ${database}, when the database fails`, () => {
    let app: RefreshApp;
    beforeEach(async () => {
      app = await new RefreshApp({ database }).start();
    });
    afterEach(() => {
      jest.restoreAllMocks();
    });

    /** Replaces the next statement that replaces a refresh token. */
    const intercept = (replacement: (statement: () => ReturnType<Update>) => ReturnType<Update>) => {
      const { manager } = app.get(DataSource);
      const update: Update = manager.update.bind(manager);
      jest.spyOn(manager, 'update').mockImplementationOnce((...args) => replacement(() => update(...args)));
    };

    it.each(['before', 'after'])('%s the statement that replaces them, can be sent again', async (when) => {
      const login = await app.open(await app.user());
      intercept(async (statement) => {
        if (when === 'after') {
          await statement();
        }
        throw new Error('Connection terminated unexpectedly');
      });
      const { json, headers } = await app.refresh(login.refreshToken);
      expect([json.code, headers['retry-after']]).toEqual([50300, '1']);
      expect((await app.rowOf(login)).rotations).toBe(when === 'after' ? 1 : 0);
      expect(await app.outcomeOf(login.refreshToken)).toBe('200');
      expect((await app.rowOf(login)).rotations).toBe(1);
    });

    // SQLite has one connection, which does not hang.
    if (database !== 'sqlite') {
      it('by carrying the statement out late, can be sent again for as long as ever', async () => {
        const login = await app.open(await app.user());
        let carryOut = (): void => undefined;
        intercept((original) => new Promise<void>((resolve) => (carryOut = resolve)).then(original));
        expect((await app.refresh(login.refreshToken)).json.code).toBe(50300);
        const soon = Date.now() - 500; // the request began 900 ms ago
        carryOut();
        const rotatedAt = async () => (await app.rowOf(login)).rotatedAt ?? 0;
        for (let i = 0; i < 1000 && (await rotatedAt()) < soon; i++);
        expect(await rotatedAt()).toBeGreaterThan(soon);
        expect(await app.outcomeOf(login.refreshToken)).toBe('200');
      });

      it('during the statement, can be sent again while it may still be carried out', async () => {
        const login = await app.open(await app.user());
        let carryOut = (): void => undefined;
        let statement: ReturnType<Update> | undefined;
        intercept((original) => {
          statement = new Promise<void>((resolve) => (carryOut = resolve)).then(original);
          return statement;
        });
        const { json, headers } = await app.refresh(login.refreshToken);
        expect([json.code, headers['retry-after']]).toEqual([50300, '1']);
        const { refreshToken } = await app.refreshed(login);
        carryOut();
        expect((await statement)?.affected).toBe(0);
        expect(await app.outcomeOf(refreshToken)).toBe('200');
      });
    }

    it('before they are looked up, are neither refused nor ended', async () => {
      const moveDate = freezeDate();
      const user = await app.user();
      const [known, other] = [await app.open(user), await app.open(user)];
      moveDate(4000);
      expect(await app.refreshed(known)).toBeDefined();
      moveDate(4000);
      jest.spyOn(app.get(DataSource).manager, 'findOneBy').mockRejectedValue(new Error('ECONNREFUSED'));
      for (const { refreshToken } of [known, other]) {
        const { json, headers } = await app.refresh(refreshToken);
        expect([json.code, headers['retry-after']]).toEqual([50300, '1']);
        expect((await app.endToken(refreshToken)).json.code).toBe(50300);
      }
      expect(await app.stateOf(known.token)).toBe('live');
      const { json, headers } = await app.call(other.token, 'GET', 'me');
      expect([json.code, headers['retry-after']]).toEqual([50300, '1']);
      jest.restoreAllMocks();
      expect(await app.stateOf(other.token)).toBe('live');
      expect(await app.outcomeOf(other.refreshToken)).toBe('200');
      expect(await app.rowsOf(AuthLogin).countBy({ endedBy: 'reused' })).toBe(0);
    });
  });
}
