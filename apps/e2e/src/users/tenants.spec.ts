import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { AUTH_USER_STORE, KitAuthModule } from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { BOTH, loginUser, PASSWORD, postJson, sharedTestApp } from 'test-support';

const tenants = new AsyncLocalStorage<string | undefined>();
const passwordHash = bcrypt.hashSync(PASSWORD, 4);
const IDS: Readonly<Record<string, number>> = { north: 7, south: 8 };

const store = {
  findByUsername: async (username: string) => {
    const id = IDS[tenants.getStore() ?? ''];
    return id === undefined ? undefined : { id, username, passwordHash, enabled: true, securityStamp: '' };
  },
  loadLoginUser: async (userId: number) => loginUser({ userId, username: 'ada' }),
};
@Module({ providers: [{ provide: AUTH_USER_STORE, useValue: store }] })
class TenantsModule {}

describe.each(BOTH)('names that are unique within a tenant on %s', (platform) => {
  const app = sharedTestApp({
    platform,
    database: false,
    core: KitAuthModule.forRoot({ users: TenantsModule, password: { cost: 10 }, login: { throttle: false } }),
    provider: KitAuthJwtModule,
    configure: (nest) =>
      nest.use((request: IncomingMessage, _: unknown, next: () => void) => {
        tenants.run(String(request.headers['x-tenant']), next);
      }),
  });

  it('are looked up in the context of the request, also while many wait for a hash', async () => {
    const wanted = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? 'north' : 'south'));
    const logins = wanted.map((tenant) =>
      postJson(app.port, '/v1/api/auth/login', { username: 'ada', password: PASSWORD }, [
        `X-Tenant: ${tenant}`,
      ]),
    );
    const ids = (await Promise.all(logins)).map(({ json }) => json.user?.userId);
    expect(ids).toEqual(wanted.map((tenant) => IDS[tenant]));
  });
});
