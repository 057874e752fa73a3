import { expect, jest } from '@jest/globals';
import { AuthOneTime } from 'kit-auth/store';
import {
  type AuthMail,
  type AuthMailer,
  KitAuthEmailModule,
  type KitAuthEmailOptions,
  UserAddresses,
} from 'kit-auth-email';
import { ActiveProvider } from 'kit-auth/login';
import { MailQueue } from 'kit-auth-email';
import type { AuthUser } from 'kit-auth/typeorm';
import {
  type Answer,
  bodyOf,
  ListeningApp,
  type OwnParts,
  type TestApp,
  type TestAppOptions,
  until,
  type UserFields,
} from 'test-support';

export const LINKS = {
  reset: 'https://app.example/reset#{token}',
  verify: 'https://app.example/verify#{token}',
};
export const REGISTRATION_LINKS = {
  ...LINKS,
  register: 'https://app.example/register#{token}',
  invite: 'https://app.example/invite#{token}',
};
export const ALL_LINKS = { ...REGISTRATION_LINKS, login: 'https://app.example/login#{token}' };

export interface EmailAppOptions extends TestAppOptions {
  email?: KitAuthEmailOptions;
}

/** Keeps mails, or does what a test tells it to. */
export class Mailbox implements AuthMailer {
  readonly mails: AuthMail[] = [];
  /** What happens to the next mails. */
  behave: (mail: AuthMail) => Promise<void> = async (mail) => void this.mails.push(mail);

  send(mail: AuthMail): Promise<void> {
    return this.behave(mail);
  }

  to(address: string, kind?: AuthMail['kind']): AuthMail[] {
    return this.mails.filter((mail) => mail.to === address && (kind === undefined || mail.kind === kind));
  }

  /** The same, but undefined while there is none. */
  some(address: string, kind?: AuthMail['kind']): AuthMail[] | undefined {
    const mails = this.to(address, kind);
    return mails.length === 0 ? undefined : mails;
  }
}

export type UserWithAddress = AuthUser & { readonly address: string };

let addresses = 0;

/** An application with email addresses. */
export class EmailApp extends ListeningApp {
  readonly mailbox: Mailbox;

  constructor({ email, ...options }: EmailAppOptions = {}, { imports = [], ...own }: OwnParts = {}) {
    const mailbox = new Mailbox();
    const given = { links: LINKS, mailer: mailbox, requestsPerHour: 1_000_000, ...email };
    super(options, { ...own, imports: [KitAuthEmailModule.forRoot(given), ...imports] });
    this.mailbox = mailbox;
  }

  override async start(): Promise<this> {
    jest.restoreAllMocks(); // cleaners begin after a random time
    await super.start();
    this.sendAtOnce();
    return this;
  }

  /** Mails leave after the shortest of the random delays. */
  sendAtOnce(): void {
    jest.spyOn(Math, 'random').mockReturnValue(0);
  }

  /** Before a test that counts mails: none of an earlier test is on its way, or in the mailbox. */
  async forgetMails(): Promise<void> {
    this.sendAtOnce();
    await this.mailsSent();
    this.mailbox.mails.length = 0;
  }

  get addresses(): UserAddresses {
    return this.get(UserAddresses);
  }

  /** A user with a verified address of their own. */
  async addressed({
    verified = true,
    ...fields
  }: UserFields & { verified?: boolean } = {}): Promise<UserWithAddress> {
    const user = await this.user(fields);
    const address = `User.${++addresses}@example.com`;
    await this.addresses.assign(user.id, address, { verified });
    return Object.assign(user, { address });
  }

  forgot(email: unknown): Promise<Answer> {
    return this.call(undefined, 'POST', 'password/forgot', { email });
  }

  reset(token: unknown, newPassword: unknown = NEW_PASSWORD): Promise<Answer> {
    return this.call(undefined, 'POST', 'password/reset', { token, newPassword });
  }

  /** @param session the token of the user, which some confirmations need */
  confirm(token: unknown, session?: string): Promise<Answer> {
    return this.call(session, 'POST', 'email/confirm', { token });
  }

  /** 204, or the code of the refusal. */
  async outcomeOf(answer: Promise<Answer>): Promise<number> {
    const { status, json } = await answer;
    return json?.code ?? status;
  }

  /** Asks for a link, and returns its token. */
  async resetToken({ address }: { address: string }): Promise<string> {
    const before = this.mailbox.to(address, 'reset').length;
    await this.forgot(address);
    return tokenIn(await until(() => this.mailbox.to(address, 'reset')[before]));
  }

  /** Asks for another address, and returns the token that it got. */
  async changeToken(token: string, address: string): Promise<string> {
    bodyOf(await this.call(token, 'POST', 'email', { email: address }), 202);
    return tokenIn(await until(() => this.mailbox.to(address, 'verify-address')[0]));
  }

  /** Waits until every mail was sent, so that a test can say that there are no others. */
  mailsSent(): Promise<void> {
    return mailsSentBy(this);
  }

  tokensOf({ id }: { id: number }): Promise<AuthOneTime[]> {
    return this.rowsOf(AuthOneTime).findBy({ userId: String(id) });
  }
}

export const NEW_PASSWORD = 'another fine one 4712';

export function tokenIn({ link = '' }: AuthMail): string {
  return link.slice(link.indexOf('#') + 1);
}

/**
 * Logs in with the old password while the user resets it.
 *
 * @returns the code of the answer, and the token that was issued
 */
export async function loginDuringReset(
  app: EmailApp,
  when: 'before' | 'after',
  { username }: AuthUser,
  link: string,
): Promise<{ code: number; token: string }> {
  const provider = app.get(ActiveProvider).get();
  const issueToken = provider.issueToken.bind(provider);
  const statuses: number[] = [];
  const reset = async () => void statuses.push((await app.reset(link)).status);
  let token = '';
  const issuing = jest.spyOn(provider, 'issueToken').mockImplementationOnce(async (...login) => {
    if (when === 'before') {
      await reset();
    }
    token = await issueToken(...login);
    if (when === 'after') {
      await reset();
    }
    return token;
  });
  const code = await app.outcomeOf(app.login(username));
  issuing.mockRestore();
  expect(statuses).toEqual([204]);
  return { code, token };
}

export async function mailsSentBy(app: TestApp): Promise<void> {
  const queue = app.get(MailQueue);
  await until(() => queue.size === 0 || undefined);
}
