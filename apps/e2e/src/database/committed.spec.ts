import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Injectable, type Type } from '@nestjs/common';
import { AUTH_EVENT_SINK, type AuthEvent, AuthEvents, type AuthEventSink, KitAuthModule } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/feature';
import { AuthUser, TypeOrmUserStore } from 'kit-auth/typeorm';
import { sharedDatabase, sharedTestApp } from 'test-support';
import { OwnUsersModule } from '../users/own-users.js';

interface Reader {
  prepare(sql: string): { get(...values: unknown[]): { nickname: string } | undefined };
}
const Database = createRequire(import.meta.url)('better-sqlite3') as new (file: string) => Reader;

/** Hears of committed events, and fails if it is told to. */
@Injectable()
class Listening implements AuthEventSink {
  heard: AuthEvent[] = [];
  kept: AuthEvent[] = [];
  react: (event: AuthEvent) => unknown = () => undefined;

  async keep(event: AuthEvent): Promise<void> {
    this.kept.push(event);
  }

  committed(event: AuthEvent): void {
    this.heard.push(event);
    const reaction = this.react(event);
    return reaction as ReturnType<AuthEventSink['keep']> & undefined;
  }
}

/** Comes after it, and has no such method. */
@Injectable()
class Silent implements AuthEventSink {
  async keep(): Promise<void> {}
}

@Injectable()
class Second extends Listening {}

const moduleWith = (sink: Type<AuthEventSink>) => ({
  module: class {},
  providers: [sink, { provide: AUTH_EVENT_SINK, useExisting: sink }],
});
const imports = [Listening, Silent, Second].map(moduleWith);
const typesOf = (events: readonly AuthEvent[]) => events.map(({ type }) => type);

describe('a sink that hears of committed events', () => {
  const database = sharedDatabase('sqlite');
  const app = sharedTestApp({ database, imports });
  const sinks = () => [app.get(Listening), app.get(Second)] as const;
  const change = (id: number, work: () => void | Promise<void> = () => undefined) =>
    app.get(TypeOrmUserStore).transaction(app.get(AuthEvents).begin(), async (begun) => {
      const { transaction } = begun;
      await transaction.update(AuthUser, { id }, { nickname: 'Changed' });
      await begun.note({ type: 'user-changed', subjectId: id, subject: 'ada' });
      await work();
    });
  beforeEach(() => sinks().forEach((sink) => Object.assign(sink, { heard: [], kept: [] })));
  afterEach(() => sinks().forEach((sink) => (sink.react = () => undefined)));

  it('is told after the commit', async () => {
    const { id } = await app.user();
    const elsewhere = new Database((database.options as { database: string }).database);
    const seen: unknown[] = [];
    const [sink, second] = sinks();
    const nickname = () => elsewhere.prepare('select nickname from auth_user where id = ?').get(id)?.nickname;
    sink.react = () => seen.push(nickname());
    await change(id, () => {
      expect([typesOf(sink.kept), sink.heard]).toEqual([['user-changed'], []]);
      expect(nickname()).not.toBe('Changed');
    });
    expect(seen).toEqual(['Changed']);
    for (const { heard, kept } of [sink, second]) {
      expect(heard).toMatchObject([{ type: 'user-changed', subjectId: id, subject: 'ada' }]);
      expect(heard).toEqual(kept);
    }
  });

  it('is told nothing when the change is rolled back', async () => {
    const { id } = await app.user();
    const refused = change(id, () => Promise.reject(new Error('no')));
    await expect(refused).rejects.toThrow('no');
    expect(sinks().map(({ heard, kept }) => [typesOf(heard), typesOf(kept)])).toEqual([
      [[], ['user-changed']],
      [[], ['user-changed']],
    ]);
  });

  it('is told at once of an event of no change, and of one that is not kept', () => {
    const action = app.get(AuthEvents).begin();
    action.note({ type: 'user-unlocked', subject: 'ada' });
    action.note({ type: 'role-changed', kept: false });
    expect(sinks().map(({ heard }) => typesOf(heard))).toEqual([
      ['user-unlocked', 'role-changed'],
      ['user-unlocked', 'role-changed'],
    ]);
    expect(typesOf(sinks()[0].kept)).toEqual(['user-unlocked']);
  });

  it.each([true, false])('harms nobody when it fails, at once: %s', async (isAtOnce) => {
    const react = () => {
      if (isAtOnce) throw new Error('full');
      return Promise.reject();
    };
    const { id } = await app.user();
    const [sink, second] = sinks();
    sink.react = react;
    await change(id);
    app.get(AuthEvents).begin().note({ type: 'user-unlocked' });
    expect(typesOf(second.heard)).toEqual(['user-changed', 'user-unlocked']);
    expect((await app.users.findOneByOrFail({ id })).nickname).toBe('Changed');
    expect(app.logs.all()).toContain('a listener failed');
  });
});

describe('a sink that hears of committed events, with a user store without transactions', () => {
  const core = KitAuthModule.forRoot({ users: OwnUsersModule });
  const app = sharedTestApp({ core, database: false, imports });

  it('is told after the change, and not of one that failed', async () => {
    const { heard } = app.get(Listening);
    heard.length = 0;
    const change = (work: () => void) =>
      app.get(ActiveUserStore).transaction(app.get(AuthEvents).begin(), async (begun) => {
        await begun.note({ type: 'user-changed' });
        expect(heard).toEqual([]);
        work();
      });
    const failed = change(() => {
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    await change(() => undefined);
    expect(typesOf(heard)).toEqual(['user-changed']);
  });
});
