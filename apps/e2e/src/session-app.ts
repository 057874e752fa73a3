import { Controller, Delete, type DynamicModule, Get, Module, Param } from '@nestjs/common';
import { getRepositoryToken, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { KitAuthContext, KitAuthModule } from 'kit-auth';
import { AuthUser, AuthUserStatus } from 'kit-auth/typeorm';
import { KitAuthSessionModule, type KitAuthSessionOptions, SessionManager } from 'kit-auth-session';
import bcrypt from 'bcrypt';
import { database, sqliteInMemory } from './databases.js';
import { bearer } from './login.js';
import type { Running } from './platforms.js';
import { postJson, request } from './raw-http.js';

@Controller('v1/sessions')
class SessionsController {
  constructor(
    private readonly sessions: SessionManager,
    private readonly context: KitAuthContext,
  ) {}

  @Get('current')
  current() {
    return { id: this.sessions.currentId() };
  }

  /** `DELETE sessions` of a request that is let in now and goes on when `gate` opens. */
  @Delete('others')
  async endOthers() {
    const { userId } = this.context.getOrThrow();
    gate.entered();
    await gate.opened;
    await this.sessions.endAllOf(userId, { exceptId: this.sessions.currentId(), reason: 'logged-out' });
  }

  /** The same for `DELETE sessions/{id}`. */
  @Delete(':id')
  async end(@Param('id') id: string) {
    const { userId } = this.context.getOrThrow();
    gate.entered();
    await gate.opened;
    return { ended: await this.sessions.end(userId, id, 'logged-out') };
  }
}

/** Holds requests back between the guard and what they do. */
export const gate = {
  entered: (): void => undefined,
  opened: Promise.resolve(),

  /** @returns what opens it again */
  close(): { open: () => void; entered: Promise<void> } {
    let open = (): void => undefined;
    gate.opened = new Promise((resolve) => (open = resolve));
    const entered = new Promise<void>((resolve) => (gate.entered = resolve));
    return { open, entered };
  },
};

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
const HASH_OF_RIGHT = bcrypt.hashSync('right', 10);

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
    return this.users.save({
      username,
      nickname: username,
      passwordHash: HASH_OF_RIGHT,
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

  delete(path: string, token: string) {
    return request(this.running.port, path, { method: 'DELETE', headers: [bearer(token)] });
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
