import { Controller, type DynamicModule, Get, Module } from '@nestjs/common';
import { getRepositoryToken, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import {
  AuthRole,
  AuthUser,
  KitAuthModule,
  type KitAuthOptions,
  RequirePermissions,
  SUPER_ADMIN,
} from 'kit-auth';
import { AuthAudit, KitAuthAdminModule, type KitAuthAdminOptions } from 'kit-auth-admin';
import bcrypt from 'bcrypt';
import type { Repository } from 'typeorm';
import { database, sqliteInMemory } from './databases.js';
import { type Implementation, IMPLEMENTATIONS } from './implementations.js';
import { bearer } from './login.js';
import type { Running } from './platforms.js';
import { postJson, request } from './raw-http.js';

@Controller('v1/notes')
class NotesController {
  @Get()
  @RequirePermissions('note:read')
  list() {
    return [];
  }
}

export interface AdminAppOptions {
  /** One of the two as they come, or one with settings. */
  implementation: Implementation | DynamicModule;
  db?: TypeOrmModuleOptions;
  auth?: KitAuthOptions;
  admin?: KitAuthAdminOptions;
}

/** An application with management endpoints. */
@Module({})
export class AdminApp {
  static with({ implementation, db = sqliteInMemory(), auth, admin }: AdminAppOptions): DynamicModule {
    return {
      module: AdminApp,
      imports: [
        database(db),
        KitAuthModule.forRoot({
          password: { cost: 10, queue: 1000 },
          jwt: { secret: 's'.repeat(32) },
          login: { throttle: false },
          ...auth,
        }),
        typeof implementation === 'string' ? IMPLEMENTATIONS[implementation] : implementation,
        admin === undefined ? KitAuthAdminModule : KitAuthAdminModule.forRoot(admin),
      ],
      controllers: [NotesController],
    };
  }
}

export const PASSWORD = 'a right one 4711';
const passwordHash = bcrypt.hashSync(PASSWORD, 10);
let count = 0;

/** What tests do to such an application. */
export class AdminClient {
  constructor(readonly running: Running) {}

  get users(): Repository<AuthUser> {
    return this.running.app.get(getRepositoryToken(AuthUser));
  }

  get roles(): Repository<AuthRole> {
    return this.running.app.get(getRepositoryToken(AuthRole));
  }

  get audit(): Repository<AuthAudit> {
    return this.running.app.get(getRepositoryToken(AuthAudit), { strict: false });
  }

  /** Written past the endpoints. */
  async newUser(roles: AuthRole[] = [], more: Partial<AuthUser> = {}): Promise<AuthUser> {
    const username = `user-${++count}`;
    return this.users.save({ username, nickname: username, passwordHash, roles, ...more } as AuthUser);
  }

  async newRole(permissions: string[], includes: AuthRole[] = []): Promise<AuthRole> {
    const code = `role-${++count}`;
    return this.roles.save({ code, name: code, permissions, includes } as AuthRole);
  }

  async newAdministrator(): Promise<AuthUser> {
    return this.newUser([await this.roles.findOneByOrFail({ code: SUPER_ADMIN })]);
  }

  login(username: string, password = PASSWORD) {
    return postJson(this.running.port, '/v1/api/auth/login', { username, password });
  }

  async tokenOf({ username }: Pick<AuthUser, 'username'>, password?: string): Promise<string> {
    const { json, status } = await this.login(username, password);
    if (status !== 200) {
      throw new Error(`${status} ${JSON.stringify(json)}`);
    }
    return json.token;
  }

  adminToken(): Promise<string> {
    return this.tokenOf({ username: 'admin' }, 'admin');
  }

  call(token: string | undefined, method: string, path: string, body?: unknown) {
    const headers = token === undefined ? [] : [bearer(token)];
    if (body === undefined) {
      return request(this.running.port, `/v1/api/auth/${path}`, { method, headers });
    }
    return request(this.running.port, `/v1/api/auth/${path}`, {
      method,
      headers: [...headers, 'Content-Type: application/json'],
      body: JSON.stringify(body),
    });
  }

  /** 200, or the code of the refusal. */
  async codeOf(token: string, path = 'me'): Promise<number> {
    const { status, json } = await this.call(token, 'GET', path);
    return json?.code ?? status;
  }
}
