import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KitAuthModule, kitAuthConfig } from 'kit-auth';
import { KitAuthAdminModule } from 'kit-auth-admin';
import { KitAuthConsoleModule } from 'kit-auth-console';
import { KitAuthEmailModule } from 'kit-auth-email';
import { NodemailerMailer } from 'kit-auth-email/nodemailer';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { KitAuthIssuersModule } from 'kit-auth-issuers';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { KitAuthLanguagesModule } from 'kit-auth-languages';
import { google, KitAuthOidcModule } from 'kit-auth-oidc';
import { KitAuthOtelModule } from 'kit-auth-otel';
import { KitAuthPasskeysModule } from 'kit-auth-passkeys';
import { KitAuthRegistrationModule } from 'kit-auth-registration';
import { AppController } from './app.controller';
import { AppService } from './app.service';
import { database } from './database';
import { additions, Implementation } from './implementation';
import { NotesModule } from './notes/notes.module';
import { tables } from './tables';

const KEY = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };

@Module({
  imports: [
    TypeOrmModule.forRoot({ ...database, ...tables, autoLoadEntities: true }),
    KitAuthModule.forRootAsync(kitAuthConfig.asProvider()),
    Implementation,
    ...additions,
    KitAuthAdminModule,
    KitAuthEmailModule.forRoot({
      links: {
        reset: 'https://app.example/reset#{token}',
        verify: 'https://app.example/verify#{token}',
        register: 'https://app.example/register#{token}',
        invite: 'https://app.example/invite#{token}',
      },
      mailer: new NodemailerMailer({
        transport: 'smtp://127.0.0.1:1',
        from: 'no-reply@app.example',
        appName: 'Example',
      }),
    }),
    KitAuthRegistrationModule,
    KitAuthFactorsModule.forRoot({ keys: ['a secret of more than 32 bytes in all'], issuer: 'Example' }),
    KitAuthPasskeysModule.forRoot({ rpId: 'example.com', rpName: 'Example' }),
    KitAuthOidcModule.forRoot({
      providers: [google({ clientId: 'app', clientSecret: 'the secret of the client' })],
      redirectBase: 'https://api.example.com',
      returnTo: ['com.example.app:/login'],
      signUp: 'open',
    }),
    KitAuthKeysModule,
    KitAuthIssuersModule.forRoot({
      issuers: [
        // The key of RFC 8037: nothing is fetched.
        { issuer: 'https://accounts.google.com', audience: 'notes', user: 'linked', jwks: { keys: [KEY] } },
      ],
    }),
    KitAuthLanguagesModule,
    KitAuthConsoleModule.forRoot({ title: 'Notes' }),
    KitAuthOtelModule,
    NotesModule,
  ],
  controllers: [AppController],
  providers: [AppService],
})
export class AppModule {}
