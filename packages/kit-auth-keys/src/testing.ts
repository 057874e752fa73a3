import { inspect } from 'node:util';
import type { Abstract, INestApplicationContext } from '@nestjs/common';
import { AuthEvents, KIT_AUTH_SETTINGS, type KitAuthSettings, type LoginUser } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/feature';
import { abilitiesBeyond } from './keys/abilities.js';
import { ApiKeys } from './keys/api-keys.js';

/** A script with a key. */
export interface ActingKey {
  readonly id: string;
  readonly key: string;
  /** The header that carries the key, for `supertest`, `app.inject()` of Fastify, and `fetch`. */
  readonly headers: Record<string, string>;
}

/**
 * Creates a key of a user, for one day, without a login. It counts as created by a login with a second factor.
 *
 * @param app after `await app.init()` or `app.listen()`
 * @param owner a user of the user store, or a username
 * @throws Error when there is no such user, or the user lacks abilities
 *
 * @example
 * const script = await actingWithKey(app, 'ada', ['note:read']);
 * await request(app.getHttpServer()).get('/v1/notes').set(script.headers).expect(200);
 * await app.inject({ url: '/v1/notes', headers: script.headers }); // Fastify
 */
export async function actingWithKey(
  app: INestApplicationContext,
  owner: Pick<LoginUser, 'userId'> | string,
  abilities: readonly string[],
): Promise<ActingKey> {
  const get = <T>(type: abstract new (...args: never[]) => T) =>
    app.get<T>(type as unknown as Abstract<T>, { strict: false });
  const user = await userOf(get(ActiveUserStore), owner);
  const missing = abilitiesBeyond(user, abilities);
  if (missing.length > 0) {
    throw new Error(`actingWithKey: ${user.username} lacks the permission ${missing.join(', ')}.`);
  }
  const request = { name: 'Test', abilities, days: 1 };
  const { id, key } = await get(ApiKeys).issue(get(AuthEvents).begin(), user, request, {
    secondFactor: true,
  });
  const settings = app.get<KitAuthSettings>(KIT_AUTH_SETTINGS, { strict: false });
  return { id, key, headers: { [settings.tokenHeader]: `${settings.tokenPrefix}${key}` } };
}

async function userOf(users: ActiveUserStore, owner: Pick<LoginUser, 'userId'> | string): Promise<LoginUser> {
  const id = typeof owner === 'string' ? (await users.findByUsername(owner))?.id : owner.userId;
  const user = id === undefined ? undefined : await users.loadLoginUser(id);
  if (user === undefined) {
    throw new Error(`actingWithKey: the user store has no enabled user ${inspect(owner)}.`);
  }
  return user;
}
