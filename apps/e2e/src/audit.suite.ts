import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import bcrypt from 'bcrypt';
import { MoreThan } from 'typeorm';
import type { Socket } from 'node:net';
import { AccountChanges } from 'kit-auth';
import { AuditClient } from './audit-app.js';
import type { Implementation } from './implementations.js';
import type { Platform } from './platforms.js';

export interface AuditSetting {
  name: string;
  platform: Platform;
  implementation: Implementation;
  db: () => TypeOrmModuleOptions;
  before?: () => Promise<void>;
  after?: () => Promise<void>;
}

/** That nothing is done without its record, whatever the client, the database or other users do. */
export function describeAudit({ name, platform, implementation, db, before, after }: AuditSetting): void {
  describe(`the audit on ${name}, ${platform}, with ${implementation}`, () => {
    let client: AuditClient;
    let admin: string;
    /** The last row when a test begins. */
    let last: number;
    beforeAll(async () => {
      await before?.();
      client = await AuditClient.start({ implementation, db: db() }, platform);
      admin = await client.adminToken();
    });
    beforeEach(async () => {
      last = (await client.audit.maximum('id')) ?? 0;
    });
    afterEach(() => {
      client.sink.keeping = async () => undefined;
      jest.restoreAllMocks();
    });
    afterAll(async () => {
      await client.running.app.close();
      await after?.();
    });

    const rows = () => client.audit.find({ where: { id: MoreThan(last) }, order: { id: 'ASC' } });
    const firstRows = async (count: number) => {
      let found = await rows();
      for (let i = 0; i < 500 && found.length < count; i++) {
        await sleep(10);
        found = await rows();
      }
      return found;
    };
    const origin = { actorId: 1, actor: 'admin', address: '127.0.0.1' };

    it('knows who makes a change and from where, although they hang up in the middle of it', async () => {
      const user = await client.newUser();
      const sent: Socket[] = [];
      client.sink.keeping = async ({ type }) => {
        if (type === 'user-changed') {
          await client.hangUp(sent[0]!);
        }
      };
      const body = { nickname: 'New', status: 'DISABLED' };
      sent.push(await client.send(admin, 'PATCH', `users/${user.id}`, body));
      expect(await firstRows(2)).toMatchObject([
        { type: 'user-changed', ...origin },
        { type: 'user-status-changed', ...origin },
      ]);
    });

    it('knows from where a password was guessed, although the guesser hangs up meanwhile', async () => {
      const user = await client.newUser();
      const sent: Socket[] = [];
      jest.spyOn(bcrypt, 'compare').mockImplementationOnce((async () => {
        await client.hangUp(sent[0]!);
        return false;
      }) as never);
      const guess = { username: user.username, password: 'wrong' };
      sent.push(await client.send(undefined, 'POST', 'login', guess));
      expect(await firstRows(1)).toMatchObject([
        { type: 'login-failed', subjectId: user.id, address: '127.0.0.1' },
      ]);
    });

    it('is not blinded by a user without rights, whose refusals keep nobody from logging in', async () => {
      const [user, intruder] = [await client.newUser(), await client.newUser()];
      const token = await client.tokenOf(intruder);
      last = (await client.audit.maximum('id')) ?? 0;
      const refusals = Array.from({ length: 200 }, async () => [
        await client.codeOf(token, 'users'),
        await client.codeOf(token, 'users'),
      ]);
      const logins = Array.from({ length: 10 }, () => client.login(user.username));
      expect((await Promise.all(refusals)).flat().filter((code) => code !== 40300)).toEqual([]);
      expect((await Promise.all(logins)).map(({ status }) => status)).toEqual(Array(10).fill(200));
      const kept = await firstRows(11);
      expect(kept.filter(({ type }) => type === 'login')).toHaveLength(10);
      const denied = kept.filter(({ type }) => type === 'access-denied');
      expect(denied).toMatchObject([{ actorId: intruder.id, detail: 'UserController.find: auth:user:read' }]);
      expect(client.running.logger.all()).not.toContain('dropped');
    });

    it('has actor and address of every change, whenever the client hangs up', async () => {
      const role = await client.newRole([]);
      const user = await client.newUser();
      const changes = jest.spyOn(client.running.app.get(AccountChanges), 'run');
      for (let i = 0; i < 32; i++) {
        const roles = i % 2 === 0 ? [role.code] : [];
        const socket = await client.send(admin, 'PUT', `users/${user.id}/roles`, { roles });
        await sleep(i / 2);
        socket.resetAndDestroy();
      }
      await client.disconnected();
      await Promise.allSettled(changes.mock.results.map(({ value }) => value));
      const kept = await rows();
      expect(kept.length).toBeGreaterThan(0);
      expect(kept.filter((row) => row.actorId !== 1 || row.address !== '127.0.0.1')).toEqual([]);
    });
  });
}
