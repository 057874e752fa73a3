import { Controller, type DynamicModule, Get, Module } from '@nestjs/common';
import { getRepositoryToken, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { AuthUser, AuthUserStatus, KitAuthModule } from 'kit-auth';
import { KitAuthSessionModule, type KitAuthSessionOptions, SessionManager } from 'kit-auth-session';
import bcrypt from 'bcrypt';
import { database, sqliteInMemory } from './databases.js';
import { bearer } from './login.js';
import type { Running } from './platforms.js';
import { postJson, request } from './raw-http.js';

@Controller('v1/sessions')
class SessionsController {
  constructor(private readonly sessions: SessionManager) {}

  @Get('current')
  current() {
    return { id: this.sessions.currentId() };
  }
}

@Module({})
export class SessionApp {
  static with(
    options: KitAuthSessionOptions = {},
    db: TypeOrmModuleOptions = sqliteInMemory(),
  ): DynamicModule {
    return {
      module: SessionApp,
      imports: [
        database(db),
        KitAuthModule.forRoot({ password: { cost: 10 } }),
        SessionApp.sessions(options),
      ],
    };
  }

  /** The module and a controller that sees its exports. */
  private static sessions(options: KitAuthSessionOptions): DynamicModule {
    const sessions = KitAuthSessionModule.forRoot(options);
    class SessionsModule {}
    return {
      module: SessionsModule,
      imports: [sessions],
      controllers: [SessionsController],
      exports: [sessions],
    };
  }
}

let lastUser = 0;

/** What tests do to a running application, in short. */
export class Client {
  constructor(readonly running: Running) {}

  get sessions(): SessionManager {
    return this.running.app.get(SessionManager, { strict: false });
  }

  get users() {
    return this.running.app.get(getRepositoryToken(AuthUser));
  }

  async newUser(): Promise<AuthUser> {
    const username = `user-${++lastUser}-${Date.now()}`;
    const passwordHash = bcrypt.hashSync('right', 10);
    return this.users.save({
      username,
      nickname: username,
      passwordHash,
      status: AuthUserStatus.ENABLED,
      roles: [],
    });
  }

  login(username: string, ...headers: string[]) {
    return postJson(this.running.port, '/v1/api/auth/login', { username, password: 'right' }, headers);
  }

  async tokenOf(username: string, ...headers: string[]): Promise<string> {
    return (await this.login(username, ...headers)).json.token;
  }

  get(path: string, token: string) {
    return request(this.running.port, path, { headers: [bearer(token)] });
  }

  me(token: string) {
    return this.get('/v1/api/auth/me', token);
  }

  /** `live`, or the code and the reason of the refusal. */
  async stateOf(token: string): Promise<string> {
    const { status, json } = await this.me(token);
    return status === 200 ? 'live' : `${json.code} ${json.reason}`;
  }
}

/** The random part of a token, which may have the separator in it. */
export function secretOf(token: string): string {
  return /^kats_[0-9a-z]+_(.{43})_/.exec(token)![1]!;
}

/** For `jest.useFakeTimers`: the date is frozen, everything else goes on. */
export const ALL_BUT_DATE = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];
