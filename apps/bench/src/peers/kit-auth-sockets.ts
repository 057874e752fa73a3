import { subscribe } from 'node:diagnostics_channel';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { type INestApplication, Module } from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { AUTH_PROVIDER, AuthEvents, type AuthProvider } from 'kit-auth';
import { LoginEnds } from 'kit-auth/login';
import { KitAuthSessionModule } from 'kit-auth-session';
import { KitAuthSocketsModule } from 'kit-auth-sockets';
import { logIn, rootModule } from './kit-auth.js';
import { createApp, HelloController, type Peer } from './peer.js';

/** As many sockets, and as many users. */
export const SOCKETS = 10_000;
/** Longer than the checks of all users of a role are spread over. */
const QUIET_MS = 8000;

@WebSocketGateway({ path: '/live' })
class LiveGateway {
  @SubscribeMessage('ping')
  ping() {
    return { event: 'pong', data: 'pong' };
  }
}

/** What a server did after a hint. */
export interface Effort {
  /** Look-ups of sessions and users. */
  readonly lookups: number;
  /** How long the event loop was blocked at most, in milliseconds. */
  readonly blocked: number;
}

export async function bareSockets(): Promise<Peer> {
  @Module({ controllers: [HelloController], providers: [LiveGateway] })
  class BareApp {}
  const app = await createApp(BareApp, 'express');
  app.useWebSocketAdapter(new WsAdapter(app));
  return { app, answers: { settle } };
}

export async function kitAuthSockets(): Promise<Peer> {
  @Module({
    imports: [
      rootModule(KitAuthSessionModule.forRoot({ store: 'memory' }), 'sqlite'),
      KitAuthSocketsModule.forRoot({ maxPerUser: SOCKETS }),
    ],
    providers: [LiveGateway],
  })
  class SocketsApp {}
  const app = await createApp(SocketsApp, 'express');
  app.useWebSocketAdapter(new WsAdapter(app));
  const [first] = [2]; // the first user after the administrator
  return {
    app,
    logIn: () => logIn(app, SOCKETS),
    answers: {
      settle,
      hint: () =>
        effortOf(() => app.get(LoginEnds, { strict: false }).note({ userId: first, reason: 'kicked' }), 500),
      'role changed': () =>
        effortOf(
          () =>
            app
              .get(AuthEvents, { strict: false })
              .begin()
              .note({ type: 'role-changed', subject: 'editor', success: true }),
          QUIET_MS,
        ),
      'end all': () => effortOf(() => endAll(app, first), 3000),
    },
  };
}

async function endAll(app: INestApplication, userId: number): Promise<void> {
  await app.get<AuthProvider>(AUTH_PROVIDER, { strict: false }).sessions?.endAllOf(userId);
}

async function effortOf(work: () => unknown, milliseconds: number): Promise<Effort> {
  let lookups = 0;
  subscribe('tracing:kit-auth:store:start', () => {
    lookups++;
  });
  globalThis.gc?.();
  await setTimeout(100);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await work();
  await setTimeout(milliseconds);
  delay.disable();
  return { lookups, blocked: delay.max / 1e6 };
}

async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await setTimeout(100);
  }
}
