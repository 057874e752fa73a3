import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import {
  AuthErrorCode,
  AUTH_CREDENTIAL,
  AUTH_EVENT_SINK,
  KIT_AUTH_SETTINGS,
  type KitAuthSettings,
} from 'kit-auth';
import { CommandHooks, declareReasons, DOCTOR_CHECK, endpointsIf, Ports } from 'kit-auth/extend';
import {
  type KitAuthIssuersOptions,
  issuersOptions,
  type ResolvedIssuersOptions,
} from './config/issuers.options.js';
import { Issuers } from './issuers.js';
import { HttpConnections } from './keys/http.connections.js';
import { IssuersCheck } from './keys/issuers.check.js';
import { IssuerConnections } from './keys/issuer.connections.js';
import {
  hasMetadata,
  KitAuthResourceController,
  KitAuthResourcePathController,
  ResourceMetadata,
} from './resource/metadata.controllers.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<KitAuthIssuersOptions>().setClassMethodName('forRoot').build();

/**
 * Accepts access tokens of other issuers, such as Keycloak, Entra ID and Auth0, beside those of the application. Import it
 * once, with `forRoot()` or `forRootAsync()`.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot({ jwt: { secret: process.env.JWT_SECRET } }),
 *     KitAuthJwtModule,
 *     KitAuthIssuersModule.forRoot({
 *       issuers: [
 *         {
 *           issuer: 'https://login.example.com/realms/company',
 *           audience: 'notes-api',
 *           user: ({ sub }) => findEmployee(sub),
 *         },
 *       ],
 *     }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
@CommandHooks()
@Module({
  controllers: [KitAuthResourceController, KitAuthResourcePathController],
  providers: [
    issuersOptions.provider(MODULE_OPTIONS_TOKEN),
    { provide: IssuerConnections, useClass: HttpConnections },
    ResourceMetadata,
    endpointsIf(KitAuthResourceController, [issuersOptions.token], (options: ResolvedIssuersOptions) =>
      hasMetadata(options, false),
    ),
    endpointsIf(KitAuthResourcePathController, [issuersOptions.token], (options: ResolvedIssuersOptions) =>
      hasMetadata(options, true),
    ),
    Issuers,
    {
      provide: AUTH_CREDENTIAL,
      useFactory: ({ credentials }: Issuers) => credentials,
      inject: [Issuers],
    },
    { provide: AUTH_EVENT_SINK, useExisting: Issuers },
    IssuersCheck,
    { provide: DOCTOR_CHECK, useExisting: IssuersCheck },
    declareReasons({ [AuthErrorCode.TOKEN_INVALID]: ['malformed', 'signature', 'expired', 'unknown-user'] }),
  ],
})
export class KitAuthIssuersModule
  extends ConfigurableModuleClass
  implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown
{
  constructor(
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
    private readonly issuers: Issuers,
    private readonly ports: Ports,
  ) {
    super();
  }

  /** Registers the module. @throws IllegalStateException from `app.init()` when an option cannot be used */
  static override forRoot(options: KitAuthIssuersOptions = {}): DynamicModule {
    return super.forRoot(options);
  }

  /** @throws IllegalStateException when the module is imported twice */
  onModuleInit(): void {
    if (this.core.enabled) {
      this.ports.requireOneImport(KitAuthIssuersModule);
    }
  }

  /** A hook of the module: commands of `npx kit-auth` fetch nothing. */
  onApplicationBootstrap(): void {
    if (this.core.enabled) {
      this.issuers.fetch();
    }
  }

  onApplicationShutdown(): void {
    this.issuers.close();
  }
}
