import {
  Controller,
  type DynamicModule,
  Get,
  type INestApplication,
  Module,
  type Type,
} from '@nestjs/common';
import { getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm';
import {
  AUTH_PROVIDER,
  type AuthProvider,
  KitAuthModule,
  type KitAuthOptions,
  type LoginUser,
  Public,
} from 'kit-auth';
import { AuthRole, AuthUser, AuthUserStatus } from 'kit-auth/typeorm';
import type { Repository } from 'typeorm';
import { bearer, SECRET } from '../measure/tokens.js';
import { type Database, databaseOf } from './databases.js';
import { HelloController } from './peer.js';

const AT_ONCE = 500;
/** Who log in by name and password, all with the same. */
export const LOGIN_USERS = 64;

@Controller('v1')
export class HelloToUsersController extends HelloController {
  @Public()
  @Get('open')
  override open() {
    return super.open();
  }
}

/** The whole module, with whatever implementation. */
export function rootModule(
  implementation: Type | DynamicModule,
  database: Database,
  jwt: KitAuthOptions['jwt'] = { secret: SECRET },
): Type {
  @Module({
    imports: [
      TypeOrmModule.forRoot(databaseOf(database)),
      KitAuthModule.forRoot({ jwt, password: { cost: 10 }, strict: false }),
      implementation,
    ],
    controllers: [HelloToUsersController],
  })
  class KitAuthApp {}
  return KitAuthApp;
}

/** As many users with a role, and a session of each. */
export async function logIn(app: INestApplication, count: number): Promise<string[]> {
  const users = await addUsers(app, count);
  const provider = app.get<AuthProvider>(AUTH_PROVIDER, { strict: false });
  const headers: string[] = [];
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = users.slice(from, from + AT_ONCE);
    headers.push(...(await Promise.all(some.map(async (user) => bearer(await provider.issueToken(user))))));
  }
  return headers;
}

/** @returns the users of the numbers 1 to count, as tokens are issued to them */
export async function addUsers(app: INestApplication, count: number): Promise<LoginUser[]> {
  const users = app.get<Repository<AuthUser>>(getRepositoryToken(AuthUser), { strict: false });
  const roles = app.get<Repository<AuthRole>>(getRepositoryToken(AuthRole), { strict: false });
  const permissions = ['note:read', 'note:write'];
  const role = await roles.save(roles.create({ code: 'editor', name: 'Editor', permissions }));
  const added: LoginUser[] = [];
  for (let from = 0; from < count; from += AT_ONCE) {
    const names = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => `user-${from + i}`);
    const rows = names.map((username) =>
      users.create({
        username,
        nickname: username,
        status: AuthUserStatus.ENABLED,
        roles: [role],
        passwordHash: PASSWORD_HASH,
      }),
    );
    for (const { id, username, nickname } of await users.save(rows, { chunk: AT_ONCE })) {
      added.push({ userId: id, username, nickname, superAdmin: false, roles: ['editor'], permissions });
    }
  }
  return added;
}

export const PASSWORD = 'benchmark';
/** At the cost of 10, which the applications are set to. */
export const PASSWORD_HASH = '$2b$10$Y2Gnu9Wh7KSxA8sFu34R0Omk1/5aInSaku3qgwliMuywI31KCcESO';
