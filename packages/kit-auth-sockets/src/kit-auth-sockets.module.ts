import { AuthErrorCode, AUTH_MESSAGES, LOGIN_END_LISTENER } from 'kit-auth';
import { authFeature } from 'kit-auth/feature';
import { type KitAuthSocketsOptions, socketsOptions } from './sockets.options.js';
import { Connections } from './connections/connection.js';
import { Hints } from './checks/hints.js';
import { LoginCheck } from './checks/login.check.js';
import { LoginChecks } from './checks/login.checks.js';
import { LoginState } from './checks/login.state.js';
import { SocketRegistry } from './connections/socket.registry.js';
import { SocketReports } from './connections/socket.reports.js';
import { FirstMessage } from './gateways/first.message.js';
import { GatewayAdapter } from './gateways/gateway.adapter.js';
import { GatewayRules } from './gateways/gateway.rules.js';
import { IoHandshakes } from './gateways/io.handshakes.js';
import { RenewalMessage } from './gateways/renewal.message.js';
import { WsHandshakes } from './gateways/ws.handshakes.js';
import { GraphqlSubscriptions } from './graphql/graphql.subscriptions.js';
import { SubscriptionPaths } from './graphql/subscription.paths.js';
import { HandshakeToken } from './handshake/handshake.token.js';
import { Handshakes } from './handshake/handshakes.js';
import { Requirements } from './checks/requirements.js';
import { MessageRefusals, SocketMessages } from './socket.messages.js';
import { ServerSentEvents } from './streams/server-sent.events.js';
import { streamInterceptors } from './streams/stream.interceptor.js';
import { SubscriptionEvents } from './streams/subscription.events.js';

/**
 * Authenticates the sockets of gateways and of GraphQL subscriptions at the handshake. Closes them, and ends server-sent
 * events, when their login ends. Import the class itself, or `forRoot()` or `forRootAsync()` to pass options, once.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot(),
 *     KitAuthSessionModule,
 *     KitAuthSocketsModule.forRoot({ maxPerUser: 10 }),
 *   ],
 *   providers: [ChatGateway],
 * })
 * export class AppModule {}
 * ```
 */
export class KitAuthSocketsModule extends authFeature<KitAuthSocketsOptions>('kit-auth-sockets', {
  options: socketsOptions,
  reasons: {
    [AuthErrorCode.TOKEN_MISSING]: ['too-late'],
    [AuthErrorCode.TOKEN_INVALID]: [
      'malformed',
      'revoked',
      'disabled',
      'unknown',
      'unavailable',
      'too-many-refusals',
    ],
    [AuthErrorCode.FORBIDDEN]: ['another-login'],
    [AuthErrorCode.TOO_MANY_ATTEMPTS]: ['too-many-sockets', 'too-many-waiting'],
  },
  sinks: [Hints],
  providers: [
    // The handshake.
    HandshakeToken,
    Requirements,
    Handshakes,
    // Gateways.
    GatewayRules,
    FirstMessage,
    RenewalMessage,
    WsHandshakes,
    IoHandshakes,
    GatewayAdapter,
    // GraphQL subscriptions and server-sent events.
    GraphqlSubscriptions,
    SubscriptionPaths,
    SubscriptionEvents,
    ServerSentEvents,
    streamInterceptors,
    // Open sockets.
    Connections,
    SocketReports,
    SocketRegistry,
    LoginState,
    LoginCheck,
    LoginChecks,
    { provide: LOGIN_END_LISTENER, useExisting: Hints },
    // Messages.
    MessageRefusals,
    SocketMessages,
    { provide: AUTH_MESSAGES, useExisting: SocketMessages },
  ],
  exports: [SocketRegistry, GraphqlSubscriptions],
  isGlobal: true,
}) {}
