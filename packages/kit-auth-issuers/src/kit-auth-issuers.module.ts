import { Inject } from '@nestjs/common';
import { AuthErrorCode } from 'kit-auth';
import { authFeature, DOCTOR_CHECK, endpointsIf } from 'kit-auth/feature';
import { Issuers } from './issuers.js';
import {
  issuersOptions,
  type KitAuthIssuersOptions,
  type ResolvedIssuersOptions,
} from './issuers.options.js';
import { HttpConnections } from './keys/http.connections.js';
import { IssuerConnections } from './keys/issuer.connections.js';
import { IssuersCheck } from './keys/issuers.check.js';
import {
  hasMetadata,
  KitAuthResourceController,
  KitAuthResourcePathController,
  ResourceMetadata,
} from './metadata.controllers.js';

const CREDENTIALS = Symbol('credentials of the issuers');

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
export class KitAuthIssuersModule extends authFeature<KitAuthIssuersOptions>('kit-auth-issuers', {
  options: issuersOptions,
  reasons: { [AuthErrorCode.TOKEN_INVALID]: ['malformed', 'signature', 'expired', 'unknown-user'] },
  controllers: [KitAuthResourceController, KitAuthResourcePathController],
  credentials: [CREDENTIALS],
  sinks: [Issuers],
  providers: [
    { provide: IssuerConnections, useClass: HttpConnections },
    { provide: CREDENTIALS, useFactory: ({ credentials }: Issuers) => credentials, inject: [Issuers] },
    ResourceMetadata,
    endpointsIf(KitAuthResourceController, [issuersOptions.token], (options: ResolvedIssuersOptions) =>
      hasMetadata(options, false),
    ),
    endpointsIf(KitAuthResourcePathController, [issuersOptions.token], (options: ResolvedIssuersOptions) =>
      hasMetadata(options, true),
    ),
    IssuersCheck,
    { provide: DOCTOR_CHECK, useExisting: IssuersCheck },
  ],
}) {
  @Inject(Issuers) private readonly issuers!: Issuers;

  /** A hook of the module, so that commands of `npx kit-auth` fetch nothing. */
  override onApplicationBootstrap(): void {
    super.onApplicationBootstrap();
    this.issuers.fetch();
  }
}
