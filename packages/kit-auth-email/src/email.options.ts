import {
  defineOptions,
  Option,
  type OptionsOf,
  type ResolvedOptions,
  type SettingsOf,
} from 'kit-auth/feature';
import { insecureProblem } from 'kit-auth/tools';
import type { AuthMailer } from './mails/auth-mail.js';

/** Stands for the token in the URL of a page. */
export const PLACEHOLDER = '{token}';

/**
 * Returns the rest of the error message about the URL of a page, such as "must be an absolute URL". The token must be
 * in the fragment, which browsers do not send to servers, so it appears in no log and no `Referer` header.
 */
export function linkProblem(link: string): string | undefined {
  if (link.split(PLACEHOLDER).length !== 2) {
    return `must have ${PLACEHOLDER} once, in the fragment: https://app.example/reset#${PLACEHOLDER}`;
  }
  const sample = 'token';
  const url = URL.canParse(link) ? new URL(link.replace(PLACEHOLDER, sample)) : undefined;
  if (url === undefined) {
    return 'must be an absolute URL';
  }
  if (!link.slice(link.indexOf('#') + 1).includes(PLACEHOLDER) || !link.includes('#')) {
    return `must have ${PLACEHOLDER} in the fragment, after the #: other parts of a URL end up in logs`;
  }
  return url.username === '' && url.password === '' ? insecureProblem(url) : 'must not contain credentials';
}

export const emailOptions = defineOptions(
  'kit.auth.email',
  {
    /**
     * The pages of your application that mails link to: absolute https URLs with `{token}` in the fragment.
     *
     * For example `https://app.example/reset#{token}`. http is accepted only for localhost, and never in production.
     */
    links: {
      /**
       * The page for a new password. Required.
       * @default none
       */
      reset: Option.text({ check: linkProblem }),
      /**
       * The page that confirms an address. Required.
       * @default none
       */
      verify: Option.text({ check: linkProblem }),
      /**
       * The page that completes a registration. Required by `kit-auth-registration` with the mode `open`.
       * @default none
       */
      register: Option.text({ check: linkProblem }),
      /**
       * The page that accepts an invitation. Required by `kit-auth-registration`.
       * @default none
       */
      invite: Option.text({ check: linkProblem }),
      /**
       * The page that logs in with a login link. Required by `loginLinks`.
       * @default none
       */
      login: Option.text({ check: linkProblem }),
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
     * Lets administrators set passwords with `POST users/{id}/password`, besides sending reset links.
     * @default false
     */
    adminSetsPasswords: Option.flag({ default: false }),
    /**
     * Mails that a client address (IPv6: a /64 network) may request per hour, 1 to 1000000. Further requests get 42900.
     *
     * Raise it if many users share an address. Reset links and invitations that administrators send are not counted here.
     * @default 20
     */
    requestsPerHour: Option.integer({ min: 1, max: 1_000_000, default: 20 }),
    /**
     * Logins with a link in a mail, without a password. Only verified addresses get them. `true` turns them on.
     * @default false
     */
    loginLinks: Option.switchable(
      {
        /**
         * Lifetime of a login link in minutes, 1 to 60.
         * @default 15
         */
        minutes: Option.integer({ min: 1, max: 60, default: 15 }),
        /**
         * Creates accounts for unknown addresses with login links.
         *
         * Requires `kit-auth-registration`, whose `mode`, `roles` and invitations apply.
         * @default false
         */
        signUp: Option.flag({ default: false }),
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
