import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext, INestMicroservice } from '@nestjs/common';
import {
  type ClientOptions,
  type ClientProxy,
  ClientProxyFactory,
  type MicroserviceOptions,
} from '@nestjs/microservices';
import { KitAuthContext } from 'kit-auth';
import { KitAuthJobsModule, type KitAuthJobsOptions } from 'kit-auth-jobs';
import { firstValueFrom, lastValueFrom, toArray } from 'rxjs';
import {
  loginUser,
  type Platform,
  sharedDatabase,
  sharedTestApp,
  type TestAppOptions,
  until,
} from 'test-support';
import { type Service, SERVICES } from '../messages/services.js';
import { JOBS, JobsApp } from './app.js';
import { BILLS, Bills, Ledger, ScopedBills, Seen } from './handlers.js';

/** How clients and services speak with each other. */
export interface Wire {
  readonly server: () => MicroserviceOptions;
  readonly client: (service: INestMicroservice) => ClientOptions;
  /** A message with headers. Absent where the transport has none. */
  readonly record?: (data: unknown, headers: Readonly<Record<string, string>>) => unknown;
}

/** The service has one audience, so its handlers need none. */
const SERVICE: KitAuthJobsOptions = { ...JOBS, audiences: { billing: { seconds: 60 } } };

/** Messages of a service, and their users. */
export function describeMessages(
  name: string,
  wire: Wire,
  kind: string,
  platform: Platform = 'express',
): void {
  describe(`the messages of ${kind} over ${name}`, () => {
    const database = sharedDatabase('sqlite');
    beforeAll(() => database.recreate());
    const app = sharedTestApp(new JobsApp({ platform, database }));
    let service: Service;
    let client: ClientProxy;
    let ada: { id: number; username: string };

    const start = async (jobs: KitAuthJobsOptions = SERVICE, enabled = true) => {
      const options: TestAppOptions = {
        options: { enabled },
        database: { ...database.options, synchronize: false },
        imports: [KitAuthJobsModule.forRoot(jobs)],
        controllers: [...BILLS, Bills, Ledger, ScopedBills],
        providers: [Seen],
      };
      service = await SERVICES[kind]!(options, wire.server());
      client = ClientProxyFactory.create(wire.client(service.service));
      await client.connect();
    };
    /** For the tests of a `describe`, whatever runs before or after it. */
    const restarted = (...parts: Parameters<typeof start>) => {
      beforeAll(async () => {
        await stop();
        await start(...parts);
      });
      afterAll(async () => {
        await stop();
        await start();
      });
    };
    const stop = async () => {
      await client.close();
      await service.close();
    };
    beforeAll(async () => {
      await app.role({ code: 'reader', permissions: ['note:read'] });
      await app.role({ code: 'writer', permissions: ['note:write'] });
      await start();
    });
    afterAll(stop);
    beforeEach(async () => {
      ada = await app.user({ roles: ['reader'] });
      seen().events.length = 0;
    });

    const seen = () => (service.service as INestApplicationContext).get(Seen, { strict: false });
    const ask = (pattern: string, data: unknown = {}) => firstValueFrom(client.send<unknown>(pattern, data));
    const codeOf = (pattern: string, data: unknown = {}) =>
      ask(pattern, data).then(
        () => 'ran',
        (error: unknown) => {
          const { code, reason, statusCode } = error as Record<string, unknown>;
          return [code, reason, statusCode];
        },
      );
    const as = <T>({ id, username }: { id: number; username: string }, fn: () => T): T =>
      app.get(KitAuthContext).run(loginUser({ userId: id, username }), fn);
    const carry = (pattern: string, data: object = { order: 1 }, audience = 'billing', user = ada) =>
      as(user, () => app.carrier.data(audience, data, { for: pattern }));

    const BILLING = ['billing.above', 'billing.below', 'billing.traced'];

    it.each(['undecorated', 'scoped', ...BILLING])(
      'have the user, and handlers get the data without it: %s',
      async (pattern) => {
        const { username } = ada;
        const answer = { data: { order: 1 }, user: username, context: username, scheme: 'carried' };
        expect(await ask(pattern, carry(pattern))).toEqual(answer);
      },
    );

    it('need no user where handlers have @Public(), and are not looked up there', async () => {
      const nobody = { data: { order: 1 }, user: null, context: null, scheme: null };
      expect(await ask('public', { order: 1 })).toEqual(nobody);
      expect(await ask('public', carry('public'))).toEqual(nobody);
      expect(await ask('public', { order: 1, kitAuth: 'kapj_forged' })).toEqual(nobody);
      expect(await ask('optional', { order: 1 })).toEqual(nobody);
    });

    it('need no user where it is optional, and are refused with a wrong one', async () => {
      const nobody = { data: { order: 1 }, user: null, context: null, scheme: null };
      expect(await ask('billing.optional', { order: 1 })).toEqual(nobody);
      const sent = carry('billing.optional');
      expect(await ask('billing.optional', sent)).toMatchObject({ user: ada.username });
      expect(await codeOf('billing.optional', { ...sent, order: 2 })).toEqual([40101, 'data', 401]);
    });

    it('are refused with our body', async () => {
      const missing = [40100, undefined, 401];
      for (const pattern of ['undecorated', 'stream', 'scoped', 'billing.above']) {
        expect(await codeOf(pattern, { order: 1 })).toEqual(missing);
      }
      const sent = carry('undecorated');
      expect(await codeOf('undecorated', { ...sent, order: 2 })).toEqual([40101, 'data', 401]);
      await expect(ask('token', {})).rejects.toEqual({
        statusCode: 401,
        code: 40100,
        error: 'TOKEN_MISSING',
        message: 'The data carries no user. Create it with UserCarrier',
      });
    });

    it('must meet what handlers require, with the roles of today', async () => {
      const sent = carry('writers');
      expect(await codeOf('writers', sent)).toEqual([40300, undefined, 403]);
      const writer = await app.roles.findOneByOrFail({ code: 'writer' });
      await app.users.save({ ...(await app.users.findOneByOrFail({ id: ada.id })), roles: [writer] });
      expect(await ask('writers', sent)).toMatchObject({ user: ada.username });
      expect(await codeOf('fresh', carry('fresh'))).toEqual([40120, 'expired', 401]);
      await app.users.update(ada.id, { mustChangePassword: true });
      expect(await codeOf('undecorated', carry('undecorated'))).toEqual([40301, undefined, 403]);
    });

    const { record } = wire;
    if (record !== undefined) {
      it('can have the user in a header', async () => {
        const headersOf = (data: unknown) =>
          as(ada, () => app.carrier.headers('billing', data, { for: 'undecorated' }));
        for (const data of [{ order: 1 }, 'text']) {
          const sent = record(data, headersOf(data));
          expect(await ask('undecorated', sent)).toMatchObject({ data, user: ada.username });
          expect(await codeOf('undecorated', record('other', headersOf(data)))).toEqual([40101, 'data', 401]);
        }
        expect(await codeOf('undecorated', record({}, {}))).toEqual([40100, undefined, 401]);
      });
    }

    it('are for one audience only', async () => {
      for (const pattern of ['undecorated', ...BILLING, 'billing.stream']) {
        const sent = carry(pattern, { order: 1 }, 'reports');
        expect(await codeOf(pattern, sent)).toEqual([40101, 'audience', 401]);
      }
    });

    it('cannot be sent again as messages of another pattern', async () => {
      const sent = carry('billing.above');
      expect(await ask('billing.above', sent)).toMatchObject({ user: ada.username });
      for (const pattern of ['undecorated', 'billing.below', 'scoped']) {
        expect(await codeOf(pattern, sent)).toEqual([40101, 'name', 401]);
      }
    });

    it('can have patterns that are objects', async () => {
      const sent = as(ada, () => app.carrier.data('billing', {}, { for: { of: 'bill', cmd: 'create' } }));
      const send = (pattern: object) => firstValueFrom(client.send<unknown>(pattern, sent));
      expect(await send({ cmd: 'create', of: 'bill' })).toMatchObject({ user: ada.username });
    });

    it('have the user until their stream ends', async () => {
      for (const pattern of ['stream', 'billing.stream']) {
        const sent = carry(pattern, {});
        const parts = await lastValueFrom(client.send<unknown>(pattern, sent).pipe(toArray()));
        expect(parts).toEqual([ada.username, ada.username, ada.username]);
      }
    });

    it('leave no user to what handlers leave running', async () => {
      expect(await ask('left.running', carry('left.running', {}))).toBe(ada.username);
      seen().release();
      expect(await until(() => seen().events.at(0))).toBe('nobody');
    });

    it('are events too, for all of their handlers', async () => {
      const note = async (data: unknown) =>
        firstValueFrom(client.emit('noted', data), { defaultValue: undefined });
      await note(carry('noted'));
      await until(() => (seen().events.length === 2 ? true : undefined));
      expect(seen().events).toEqual(
        expect.arrayContaining([
          { data: { order: 1 }, user: ada.username, context: ada.username, scheme: 'carried' },
          { ledger: ['order'], user: ada.username },
        ]),
      );
      await note({ order: 2 });
      await note({ ...carry('noted', { order: 3 }), order: 4 });
      await note(carry('noted', { order: 5 }));
      await until(() => (seen().events.length === 4 ? true : undefined));
      expect(seen().events).toContainEqual(expect.objectContaining({ data: { order: 5 } }));
    });

    it('never have the user of another message', async () => {
      const users = [ada, await app.user(), await app.user()];
      const answers = Array.from({ length: 9 }, (_, i) =>
        ask('slow', carry('slow', { turns: 1 + ((i * 5) % 8) }, 'billing', users[i % 3])),
      );
      expect(await Promise.all(answers)).toEqual(answers.map((_, i) => [users[i % 3]!.username]));
    });

    it('leave their tokens in no log', () => {
      expect(app.logs.all() + service.app.logs.all()).not.toContain('kapj_');
    });

    if (kind !== Object.keys(SERVICES)[0]) {
      return; // what follows does not depend on the kind
    }

    describe("with rpc: 'allow'", () => {
      restarted({ ...SERVICE, rpc: 'allow' });

      it('need no user where handlers have no decorator, but no wrong one', async () => {
        expect(await ask('undecorated', { order: 1 })).toMatchObject({ data: { order: 1 }, user: null });
        expect(await ask('undecorated', carry('undecorated'))).toMatchObject({ user: ada.username });
        expect(await codeOf('undecorated', { ...carry('undecorated'), order: 2 })).toEqual([
          40101,
          'data',
          401,
        ]);
        for (const pattern of ['token', 'billing.above']) {
          expect(await codeOf(pattern, { order: 1 })).toEqual([40100, undefined, 401]);
        }
      });
    });

    describe('with kit-auth off', () => {
      restarted(SERVICE, false);

      it('reach all handlers without a user', async () => {
        for (const pattern of ['undecorated', 'token', 'writers', 'fresh', 'billing.above']) {
          for (const data of [{ order: 1 }, { ...carry('other', { order: 2 }), order: 1 }]) {
            expect(await ask(pattern, data)).toMatchObject({ data: { order: 1 }, user: null, context: null });
          }
        }
      });
    });
  });
}
