import { KitAuthAuditModule } from 'kit-auth-admin';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthConsoleModule, type KitAuthConsoleOptions } from 'kit-auth-console';
import { KitAuthEmailModule } from 'kit-auth-email';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { KitAuthOidcModule } from 'kit-auth-oidc';
import { KitAuthPasskeysModule } from 'kit-auth-passkeys';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { KitAuthRegistrationModule } from 'kit-auth-registration';
import { type Import, TestApp, type TestAppOptions } from 'test-support';
import { Mailbox, REGISTRATION_LINKS } from '../email/app.js';
import { KEY } from '../factors/app.js';

/** The packages that bring endpoints for the console. `audit` is for applications without `admin`, which brings it. */
export type Extra = 'audit' | 'email' | 'registration' | 'factors' | 'passkeys' | 'oidc' | 'keys';

/** All that an application with `admin` can have. */
export const ALL_EXTRAS: readonly Extra[] = ['email', 'registration', 'factors', 'passkeys', 'oidc', 'keys'];

export interface ConsoleAppOptions extends TestAppOptions {
  console?: KitAuthConsoleOptions;
  /** Default: none. */
  extras?: readonly Extra[];
  /** Whether JWTs come with refresh tokens, and so live logins are known. Default: yes. */
  refresh?: boolean;
  /** A free port, where browsers reach the application as `localhost`. Passkeys need it. Default: any port. */
  ownPort?: number;
}

/** An application with the console and cookies. */
export class ConsoleApp extends TestApp {
  readonly box: Mailbox;
  /** The origin for browsers, without a slash at the end. */
  readonly origin: string;
  private readonly ownPort: number;

  constructor({
    console = {},
    extras = [],
    refresh = true,
    ownPort = 0,
    imports = [],
    ...options
  }: ConsoleAppOptions = {}) {
    const box = new Mailbox();
    const origin = `http://localhost:${ownPort}`;
    const { provider = options.session === undefined ? 'jwt' : 'session' } = options;
    super({
      admin: true,
      ...options,
      imports: [
        KitAuthBrowserModule,
        ...(provider === 'jwt' && refresh ? [KitAuthRefreshModule] : []),
        ...extras.map((name) => EXTRAS[name]({ box, origin })),
        KitAuthConsoleModule.forRoot(console),
        ...imports,
      ],
    });
    this.box = box;
    this.ownPort = ownPort;
    this.origin = origin;
  }

  override async start(): Promise<this> {
    if (this.ownPort === 0) {
      return super.start();
    }
    await this.create();
    await this.nest.listen(this.ownPort, '127.0.0.1');
    return this;
  }
}

interface Parts {
  box: Mailbox;
  origin: string;
}

const EXTRAS: Readonly<Record<Extra, (parts: Parts) => Import>> = {
  audit: () => KitAuthAuditModule,
  email: ({ box }) =>
    KitAuthEmailModule.forRoot({ links: REGISTRATION_LINKS, mailer: box, requestsPerHour: 100_000 }),
  registration: () => KitAuthRegistrationModule.forRoot({}),
  factors: () => KitAuthFactorsModule.forRoot({ keys: [KEY], issuer: 'Example' }),
  passkeys: ({ origin }) =>
    KitAuthPasskeysModule.forRoot({
      rpId: 'localhost',
      rpName: 'Example',
      origins: [origin],
      secondFactor: true,
    }),
  oidc: ({ origin }) =>
    KitAuthOidcModule.forRoot({
      redirectBase: origin,
      returnTo: [`${origin}/`],
      providers: [PROVIDER],
    }),
  keys: () => KitAuthKeysModule,
};

/** Nobody logs in with it. It shows that users may have identities. */
const PROVIDER = {
  name: 'test',
  issuer: 'https://login.example.com',
  clientId: 'console',
  clientSecret: 'a secret for tests, of 32 bytes!',
};

/** The content of a `<meta>` of the page. */
export function metaOf(html: string, name: string): string {
  return new RegExp(`<meta name="${name}" content="([^"]*)">`).exec(html)?.[1] ?? '';
}
