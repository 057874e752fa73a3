import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  Module,
  UnauthorizedException,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { fromNodeHeaders } from 'better-auth/node';
import { bearer as bearerPlugin } from 'better-auth/plugins';
import Database from 'better-sqlite3';
import type { IncomingMessage } from 'node:http';
import { bearer, SECRET } from '../measure/tokens.js';
import { createApp, HelloController, type Peer, type Platform } from './peer.js';

/** `better-auth` on SQLite: bearer sessions, or its signed cookie that spares the database for a while. */
export async function betterAuthPeer(platform: Platform, kind: 'bearer' | 'cookie cache'): Promise<Peer> {
  const auth = betterAuth({
    baseURL: 'http://localhost',
    secret: SECRET,
    database: new Database(process.env['BENCH_SQLITE'] ?? ':memory:'),
    // Passwords are no part of what is measured here, and thousands of sessions are to be opened.
    emailAndPassword: {
      enabled: true,
      password: {
        hash: async (password) => password,
        verify: async ({ hash, password }) => hash === password,
      },
    },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    ...(kind === 'bearer'
      ? { plugins: [bearerPlugin()] }
      : { session: { cookieCache: { enabled: true, maxAge: 60 * 60 } } }),
  });
  await (await getMigrations(auth.options)).runMigrations();

  @Injectable()
  class BetterAuthGuard implements CanActivate {
    async canActivate(context: ExecutionContext): Promise<boolean> {
      const request = context.switchToHttp().getRequest<IncomingMessage & { session?: object }>();
      const session = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) });
      if (session === null) {
        throw new UnauthorizedException();
      }
      request.session = session;
      return true;
    }
  }

  @Module({ controllers: [HelloController], providers: [{ provide: APP_GUARD, useClass: BetterAuthGuard }] })
  class BetterAuthApp {}

  const logIn = async () => {
    const headers: string[] = [];
    for (let number = 0; number < SESSIONS; number++) {
      const body = { name: `User ${number}`, email: `user-${number}@example.com`, password: 'a password' };
      const { token, cookie } = await signUp(body);
      headers.push(kind === 'bearer' ? bearer(token) : `Cookie: ${cookie}`);
    }
    return headers;
  };
  const signUp = async (body: { name: string; email: string; password: string }) => {
    const { headers, response } = await auth.api.signUpEmail({ body, returnHeaders: true });
    const cookies = headers.getSetCookie().map((line) => line.split(';', 1)[0]);
    return { token: response.token as string, cookie: cookies.join('; ') };
  };
  return { app: await createApp(BetterAuthApp, platform), logIn };
}

const SESSIONS = 2_000;
