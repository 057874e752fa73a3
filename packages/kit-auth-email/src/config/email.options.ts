import {
  defineOptions,
  flag,
  integer,
  Option,
  type OptionsOf,
  type ResolvedOptions,
  type SettingsOf,
  switchable,
  text,
} from 'kit-auth/extend';
import type { AuthMailer } from '../mail/auth-mail.js';
import { linkProblem } from './links.js';

export const emailOptions = defineOptions(
  'kit.auth.email',
  {
    /**
     * The pages of your application that mails link to: absolute https URLs with `{token}` in the fragment.
     *
     * Such as `https://app.example/reset#{token}`. http is accepted for localhost, and never in production.
     */
    links: {
      /**
       * The page on which a user chooses a new password. Required.
       * @default none
       */
      reset: text({ check: linkProblem }),
      /**
       * The page on which a user confirms an address. Required.
       * @default none
       */
      verify: text({ check: linkProblem }),
      /**
       * The page that completes a registration. Required by `kit-auth-registration` with the mode `open`.
       * @default none
       */
      register: text({ check: linkProblem }),
      /**
       * The page that accepts an invitation. Required by `kit-auth-registration`.
       * @default none
       */
      invite: text({ check: linkProblem }),
      /**
       * The page that logs in with a login link. Required by `loginLinks`.
       * @default none
       */
      login: text({ check: linkProblem }),
    },
    /**
     * Sends the mails, for example a `NodemailerMailer`. Or provide `AUTH_MAILER` in a module of your own.
     * @default none
     */
    mailer: new Option<AuthMailer, AuthMailer | undefined>({
      check: (value) =>
        typeof (value as Partial<AuthMailer> | null)?.send === 'function'
          ? undefined
          : 'must be an object with the method send(mail), such as new NodemailerMailer({ ... })',
    }),
    /**
     * Whether administrators may set passwords with `POST users/{id}/password`, besides sending reset links.
     * @default false
     */
    adminSetsPasswords: flag({ default: false }),
    /**
     * How many mails a client address (IPv6: a /64 network) may ask for in an hour, 1 to 1000000. Then it gets 42900.
     *
     * Raise it if many users share an address. Reset links and invitations that administrators send are not counted here.
     * @default 20
     */
    requestsPerHour: integer({ min: 1, max: 1_000_000, default: 20 }),
    /**
     * Logins with a link in a mail, without a password. Only verified addresses get them. `true` turns them on.
     * @default false
     */
    loginLinks: switchable(
      {
        /**
         * How long a login link works, in minutes, 1 to 60.
         * @default 15
         */
        minutes: integer({ min: 1, max: 60, default: 15 }),
        /**
         * Whether a login link to an unknown address creates an account.
         *
         * By the rules of `kit-auth-registration`, which has to be imported: its `mode`, its `roles` and its invitations.
         * @default false
         */
        signUp: flag({ default: false }),
      },
      { default: false },
    ),
  },
  {
    problems: ({ links, loginLinks = false }) => {
      const pages: MailPage[] = ['reset', 'verify', ...(loginLinks === false ? [] : ['login' as const])];
      return pages.filter((page) => links?.[page] === undefined).map(missingLink);
    },
  },
);

/** A page of the application that mails link to. */
export type MailPage = 'reset' | 'verify' | 'register' | 'invite' | 'login';

/** A sentence of the start-up error. It begins with the key. */
export function missingLink(link: MailPage): string {
  return `links.${link} is missing: the URL of your page, such as https://app.example/${link}#{token}`;
}

/** The argument of `KitAuthEmailModule.forRoot()`. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a name for editors and declarations
export interface KitAuthEmailOptions extends OptionsOf<typeof emailOptions> {}
export type ResolvedEmailOptions = ResolvedOptions<SettingsOf<typeof emailOptions>>;

declare module 'kit-auth' {
  interface KitAuthOptions {
    /** Options of `KitAuthEmailModule`, which its `forRoot()` overrides key by key. */
    email?: KitAuthEmailOptions | undefined;
  }
}

/** A class for `KitAuthEmailModule.forRootAsync({ useClass })` or `useExisting`. */
export interface KitAuthEmailOptionsFactory {
  create(): KitAuthEmailOptions | Promise<KitAuthEmailOptions>;
}
