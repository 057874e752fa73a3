import { Controller, Get, Module, type Type } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import { AUTH_PROVIDER, AuthManager, type AuthProvider, type LoginUser } from 'kit-auth';
import { KitAuthAdminModule } from 'kit-auth-admin';
import { KitAuthSessionModule } from 'kit-auth-session';
import type { DataSource } from 'typeorm';
import { bearer } from '../measure/tokens.js';
import { rootModule } from './kit-auth.js';
import { createApp, type Peer } from './peer.js';

const LOGGED_IN = 1000;

/**
 * With management endpoints and sessions on SQLite, as many users, roles and sessions as `BENCH_ROWS` says, and as
 * many routes as `BENCH_ROUTES` says.
 */
export async function kitAuthGrown(): Promise<Peer> {
  const rows = Number(process.env['BENCH_ROWS']);
  const routes = Number(process.env['BENCH_ROUTES']);

  @Module({ imports: [KitAuthSessionModule, KitAuthAdminModule], controllers: controllersWith(routes) })
  class GrownModule {}

  const app = await createApp(rootModule(GrownModule, 'sqlite'), 'fastify');
  const provider = () => app.get<AuthProvider>(AUTH_PROVIDER, { strict: false });
  return {
    app,
    logIn: async () => {
      const users = await fill(app.get<DataSource>(getDataSourceToken()), rows);
      return Promise.all(users.map(async (user) => bearer(await provider().issueToken(user))));
    },
    answers: {
      administrator: async () => bearer((await app.get(AuthManager).login('admin', 'admin')).token),
    },
  };
}

/** Adds what is missing. @returns some of the users */
async function fill(dataSource: DataSource, rows: number): Promise<LoginUser[]> {
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})`;
  const [{ count } = { count: 0 }] = await dataSource.query<{ count: number }[]>(
    'SELECT COUNT(*) AS count FROM auth_user',
  );
  if (count < rows) {
    for (const sql of [
      "auth_user (id, username, nickname, passwordHash) SELECT i, 'user-' || i, 'User', 'x' FROM n",
      `auth_role (id, code, name, permissions) SELECT i, 'role-' || i, 'Role', '["note:read"]' FROM n`,
      'auth_user_role ("userId", "roleId") SELECT i, i FROM n',
      `auth_session (id, "userId", "createdAt", "lastSeenAt", "expiresAt")
        SELECT i || '-of-old', i, 1, 4000000000000, 4000000000000 FROM n`,
    ]) {
      await dataSource.query(`${numbers} INSERT INTO ${sql}`);
    }
  }
  return dataSource.query<LoginUser[]>(
    `SELECT id AS "userId", username, nickname FROM auth_user WHERE id > 1 ORDER BY id DESC LIMIT ${LOGGED_IN}`,
  );
}

function controllersWith(routes: number): Type[] {
  return Array.from({ length: routes }, (_, number) => {
    @Controller(`v1/things-${number}`)
    class ThingsController {
      @Get(':id')
      find() {
        return {};
      }
    }
    return ThingsController;
  });
}
