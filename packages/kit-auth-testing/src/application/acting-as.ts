import { inspect } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import { AuthException, AuthManager, type LoginProof, type LoginUser } from 'kit-auth';
import { ActiveLogins, ActiveProvider } from 'kit-auth/login';
import { ActiveUserStore, Ports } from 'kit-auth/feature';
import { InitialisedApp } from './initialised-app.js';
import { type TestUser, testUser } from './test-user.js';
import { TestUserStore } from './test-user.store.js';

/** A user with a token. */
export interface ActingUser {
  /** The user as the application sees it. */
  readonly user: LoginUser;
  readonly token: string;
  /** The header that carries the token, for `supertest`, `app.inject()` of Fastify, and `fetch`. */
  readonly headers: Record<string, string>;
}

export interface ActingAsOptions {
  /** How the user has proved who they are. Default: `{ factors: { password: <now> } }`. */
  proof?: LoginProof | undefined;
}

/**
 * Gives a token of the application's implementation to a user, without a login.
 *
 * @param app after `await app.init()` or `app.listen()`
 * @param user the properties that your test depends on, for example `{ roles: ['editor'] }`; the rest gets defaults. A
 * string is the username of a user who exists in the user store.
 * @throws Error when the application does not accept the token, or loads the user with different data. An
 * implementation such as `kit-auth-session` reads users from the user store, so they must exist there.
 *
 * @example
 * const editor = await actingAs(app, { roles: ['editor'] });
 * await request(app.getHttpServer()).get('/v1/notes').set(editor.headers).expect(200);
 * await app.inject({ url: '/v1/notes', headers: editor.headers }); // Fastify
 */
export async function actingAs(
  app: INestApplicationContext,
  user: TestUser | string = {},
  options: ActingAsOptions = {},
): Promise<ActingUser> {
  const initialised = new InitialisedApp(app);
  const fields = typeof user === 'string' ? await existing(initialised, user) : user;
  const complete = completed(initialised, fields);
  const token = await issue(initialised, complete, options.proof);
  const { tokenHeader, tokenPrefix } = initialised.settings;
  return {
    user: await accepted(initialised, token, complete, fields),
    token,
    headers: { [tokenHeader]: `${tokenPrefix}${token}` },
  };
}

async function existing(app: InitialisedApp, username: string): Promise<LoginUser> {
  const users = app.get(ActiveUserStore);
  if (!users.has('findByUsername')) {
    throw new Error(
      `actingAs: the user store cannot find ${inspect(username)}, because it has no method findByUsername. ` +
        'Pass an object: actingAs(app, { userId }).',
    );
  }
  const id = (await users.findByUsername(username))?.id;
  const user = id === undefined ? undefined : await users.loadLoginUser(id);
  if (user === undefined) {
    throw new Error(
      `actingAs: the user store has no enabled user named ${inspect(username)}. To act as a user who need not ` +
        `exist, pass an object: actingAs(app, { username: ${inspect(username)} }).`,
    );
  }
  return user;
}

function completed(app: InitialisedApp, fields: TestUser): LoginUser {
  const users = app.get(ActiveUserStore);
  const { idType } = users;
  const store = users.get();
  const user = testUser(fields, idType);
  if ((typeof user.userId as string) !== idType) {
    throw new TypeError(
      `actingAs: userId is ${inspect(user.userId)}, but the ids of the user store are of the type ${idType}` +
        (store instanceof TestUserStore
          ? `: use KitAuthTestingModule.forRoot({ idType: '${typeof user.userId}' }).`
          : '.'),
    );
  }
  if (store instanceof TestUserStore) {
    store.add(user);
  }
  return user;
}

/** Same as at the end of a login. */
async function issue(
  app: InitialisedApp,
  user: LoginUser,
  proof: LoginProof = { factors: { password: Math.floor(Date.now() / 1000) } },
): Promise<string> {
  const opened = await app.get(ActiveLogins).open({ user, proof }, undefined);
  return app.get(ActiveProvider).get().issueToken(user, opened.proof);
}

/** The user that a request with the token gets. */
async function accepted(
  app: InitialisedApp,
  token: string,
  user: LoginUser,
  asked: TestUser,
): Promise<LoginUser> {
  const { extensionName } = app.get(ActiveProvider).get();
  const resolved = await app
    .get(AuthManager)
    .getLoginUser(token)
    .catch((cause: unknown) => {
      throw new Error(
        `actingAs: ${extensionName} does not accept the token that it issued for ${user.username}${codeOf(cause)}. ${CURE}`,
        { cause },
      );
    });
  const different = Object.entries<unknown>(asked).find(
    ([key, value]) => value !== undefined && textOf(resolved[key as never]) !== textOf(value),
  );
  if (different !== undefined) {
    const [key, value] = different;
    throw new Error(
      `actingAs: ${user.username} should have the ${key} ${inspect(value)}, but the application knows ` +
        `${inspect(resolved[key as never])}. ${key === 'data' ? CURE_OF_DATA : CURE}`,
    );
  }
  await app
    .get(Ports)
    .loadRequestUser?.(resolved)
    .catch((cause: unknown) => {
      throw new Error(
        `actingAs: requestUser() of the user store has nothing for ${user.username}${codeOf(cause)}, so requests would be ` +
          'refused. Create the user in the tables of the application, and pass the userId or the username.',
        { cause },
      );
    });
  return resolved;
}

function codeOf(cause: unknown): string {
  if (!(cause instanceof AuthException)) {
    return '';
  }
  const { code, reason } = cause;
  return ` (${code}${reason === undefined ? '' : ` ${reason}`})`;
}

const CURE =
  'It reads users from the user store: create the user there and pass the username, actingAs(app, "ada"), or replace ' +
  'the implementation with KitAuthTestingModule.';

const CURE_OF_DATA =
  'Tokens of kit-auth-jwt carry the fields that kit.auth.jwt.data names. Other implementations read them from the user store.';

/** Ignores the order of roles and permissions, which has no meaning. */
function textOf(value: unknown): string {
  return JSON.stringify(Array.isArray(value) ? [...(value as string[])].sort() : value);
}
