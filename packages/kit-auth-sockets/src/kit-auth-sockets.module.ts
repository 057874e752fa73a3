import { ConfigurableModuleBuilder, type DynamicModule, Global, Module } from '@nestjs/common';
import { AuthErrorCode, AUTH_EVENT_SINK, AUTH_MESSAGES, LOGIN_END_LISTENER } from 'kit-auth';
import { declareReasons } from 'kit-auth/extend';
import { type KitAuthSocketsOptions, socketsOptions } from './config/sockets.options.js';
import { Connections } from './connections/connections.js';
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
import { IoRecovery } from './gateways/io.recovery.js';
import { RenewalMessage } from './gateways/renewal.message.js';
import { WsHandshakes } from './gateways/ws.handshakes.js';
import { GraphqlSubscriptions } from './graphql/graphql.subscriptions.js';
import { SubscriptionPaths } from './graphql/subscription.paths.js';
import { HandshakeToken } from './handshake/handshake.token.js';
import { Handshakes } from './handshake/handshakes.js';
import { Requirements } from './checks/requirements.js';
import { MessageRefusals } from './connections/message.refusals.js';
import { SocketMessages } from './messages/socket.messages.js';
import { ServerSentEvents } from './streams/server-sent.events.js';
import { streamInterceptors } from './streams/stream.interceptor.js';
import { StreamRules } from './streams/stream.rules.js';
import { SubscriptionEvents } from './streams/subscription.events.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<KitAuthSocketsOptions>().setClassMethodName('forRoot').build();

/**
 * Authenticates the sockets of gateways and of GraphQL subscriptions at the handshake. Closes them, and ends server-sent
 * events, when their login ends. Import the class itself,
 * or `forRoot()` or `forRootAsync()` to pass options, once.
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
@Global()
@Module({
  providers: [
    socketsOptions.provider(MODULE_OPTIONS_TOKEN),
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
    IoRecovery,
    GatewayAdapter,
    // GraphQL subscriptions and server-sent events.
    GraphqlSubscriptions,
    SubscriptionPaths,
    StreamRules,
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
    Hints,
    { provide: LOGIN_END_LISTENER, useExisting: Hints },
    { provide: AUTH_EVENT_SINK, useExisting: Hints },
    // Messages.
    MessageRefusals,
    SocketMessages,
    { provide: AUTH_MESSAGES, useExisting: SocketMessages },
    declareReasons({
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
    }),
  ],
  exports: [SocketRegistry, GraphqlSubscriptions],
})
export class KitAuthSocketsModule extends ConfigurableModuleClass {
  /** Registers the module. @throws IllegalStateException from `app.init()` when an option cannot be used */
  static override forRoot(options: KitAuthSocketsOptions = {}): DynamicModule {
    return super.forRoot(options);
  }
}
