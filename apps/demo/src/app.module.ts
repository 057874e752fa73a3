import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AUTH_EVENT_SINK, KitAuthModule, kitAuthConfig, type KitAuthOptions } from 'kit-auth';
import { KitAuthAdminModule } from 'kit-auth-admin';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthConsoleModule } from 'kit-auth-console';
import { KitAuthFactorsModule, type KitAuthFactorsOptions } from 'kit-auth-factors';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { KitAuthKeysModule } from 'kit-auth-keys';
import type { OidcProvider } from 'kit-auth-oidc';
import { KitAuthPasskeysModule } from 'kit-auth-passkeys';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { KitAuthSessionModule } from 'kit-auth-session';
import { KitAuthSocketsModule } from 'kit-auth-sockets';
import { RedisSessionStore } from 'kit-auth-session/redis';
import { DataSource } from 'typeorm';
import { LoginsGateway } from './live/logins.gateway.js';
import { mailModules } from './mail/mail-modules.js';
import { NotesModule } from './notes/notes.module.js';
import { PageController } from './page/page.controller.js';
import { providerModules } from './provider/provider-modules.js';
import { AboutController } from './public/about.controller.js';
import { readFactorKey } from './settings/factor-key.js';
import type { Settings } from './settings/settings.js';
import { StatusController } from './status/status.controller.js';
import { ThisLoginController } from './this-login/this-login.controller.js';

@Module({})
export class AppModule {
  /**
   * @param url the URL of the page for users
   * @param provider for logins. Undefined: there are none
   */
  static with(settings: Settings, url: string, provider: OidcProvider | undefined): DynamicModule {
    return {
      module: AppModule,
      imports: [
        TypeOrmModule.forRoot(settings.database),
        KitAuthModule.forRootAsync({ useFactory: authOptions }),
        ...implementation(settings),
        KitAuthBrowserModule.forRoot({ insecureLocalhost: settings.insecureLocalhost }),
        KitAuthAdminModule,
        KitAuthConsoleModule.forRoot({ title: 'kit-auth demo' }),
        ...mailModules(settings.mail, url),
        KitAuthFactorsModule.forRootAsync({
          useFactory: () => factorOptions(settings),
          inject: [DataSource], // so that a key is made only for a database that can be used
        }),
        KitAuthPasskeysModule.forRoot({
          rpId: new URL(url).hostname,
          rpName: 'kit-auth demo',
          origins: [url],
        }),
        ...providerModules(provider, url),
        KitAuthKeysModule,
        KitAuthSocketsModule,
        NotesModule,
      ],
      controllers: [PageController, StatusController, AboutController, ThisLoginController],
      providers: [LoginsGateway, { provide: AUTH_EVENT_SINK, useExisting: LoginsGateway }],
    };
  }
}

/** The options of the environment, and the paths that this application opens. */
function authOptions(): KitAuthOptions {
  const options = kitAuthConfig();
  return { ...options, whiteList: ['/v1/public/**', ...(options.whiteList ?? [])] };
}

/** Keys of the environment are read by kit-auth itself. */
function factorOptions({ factorKeyFile }: Settings): KitAuthFactorsOptions {
  const issuer = 'kit-auth demo';
  return process.env['KIT_AUTH_FACTORS_KEYS'] === undefined
    ? { issuer, keys: [readFactorKey(factorKeyFile)] }
    : { issuer };
}

function implementation({ provider, redisUrl }: Settings) {
  if (provider === 'jwt') {
    return [KitAuthJwtModule, KitAuthRefreshModule];
  }
  const options = redisUrl === undefined ? {} : { store: new RedisSessionStore({ url: redisUrl }) };
  return [KitAuthSessionModule.forRoot(options)];
}
