import { AuthErrorCode, TOKEN_TRANSPORT } from 'kit-auth';
import { authFeature } from 'kit-auth/feature';
import { browserOptions, type KitAuthBrowserOptions } from './browser.options.js';
import { BrowserTransport } from './browser.transport.js';
import { BrowserCookies } from './cookies.js';
import { CrossOrigin } from './cross-origin.js';
import { UpgradeGuard } from './upgrade.guard.js';

/**
 * Cookies for browsers, and protection against requests of other sites. Import it next to `KitAuthModule` and an
 * implementation: the class itself, or `forRoot()` or `forRootAsync()` to pass options.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [
 *     TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, autoLoadEntities: true }),
 *     KitAuthModule.forRoot(),
 *     KitAuthSessionModule,
 *     KitAuthBrowserModule.forRoot({ origins: ['https://app.example'] }),
 *   ],
 * })
 * export class AppModule {}
 * ```
 */
export class KitAuthBrowserModule extends authFeature<KitAuthBrowserOptions>('kit-auth-browser', {
  options: browserOptions,
  reasons: {
    [AuthErrorCode.TOKEN_INVALID]: ['malformed'],
    [AuthErrorCode.CROSS_ORIGIN]: ['cross-site', 'same-site', 'origin', 'unknown'],
  },
  providers: [
    BrowserCookies,
    CrossOrigin,
    BrowserTransport,
    { provide: TOKEN_TRANSPORT, useExisting: BrowserTransport },
    UpgradeGuard,
  ],
  exports: [BrowserTransport, TOKEN_TRANSPORT],
  isGlobal: true,
}) {}
