import { jest } from '@jest/globals';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AUTH_EVENT_SINK, type AuthEvent } from 'kit-auth';
import { type AuthMail, KitAuthEmailModule, type KitAuthEmailOptions, UserAddresses } from 'kit-auth-email';
import { KitAuthRegistrationModule, type KitAuthRegistrationOptions } from 'kit-auth-registration';
import { AuthOneTime, OneTimeTokens } from 'kit-auth/store';
import { readFromPrimary } from 'kit-auth/typeorm';
import { type Answer, bodyOf, PASSWORD, TestApp, type TestAppOptions, until } from 'test-support';
import { DataSource } from 'typeorm';
import { ALL_LINKS, Mailbox, mailsSentBy } from '../email/app.js';

export interface RegistrationAppOptions extends TestAppOptions {
  registration?: KitAuthRegistrationOptions;
  email?: KitAuthEmailOptions;
}

/** The role `member`. Roles have to exist before the start looks at them. */
@Injectable()
export class MemberRole implements OnModuleInit {
  constructor(private readonly dataSource: DataSource) {}

  async onModuleInit(): Promise<void> {
    const code = 'member';
    if (!(await readFromPrimary(this.dataSource, (manager) => manager.existsBy('AuthRole', { code })))) {
      await this.dataSource
        .getRepository('AuthRole')
        .save({ code, name: 'Member', permissions: ['note:read'] });
    }
  }
}

/** An application with registration and invitations, whose mails leave at once. */
export class RegistrationApp extends TestApp {
  readonly box: Mailbox;
  readonly events: AuthEvent[];

  constructor({ registration = {}, email, ...options }: RegistrationAppOptions = {}) {
    const box = new Mailbox();
    const events: AuthEvent[] = [];
    const sink = { keep: async () => undefined, committed: (event: AuthEvent) => void events.push(event) };
    super(options, {
      imports: [
        KitAuthEmailModule.forRoot({ links: ALL_LINKS, mailer: box, requestsPerHour: 100_000, ...email }),
        KitAuthRegistrationModule.forRoot(registration),
      ],
      providers: [{ provide: AUTH_EVENT_SINK, useValue: sink }],
    });
    this.box = box;
    this.events = events;
  }

  get addresses(): UserAddresses {
    return this.get(UserAddresses);
  }

  get tokens(): OneTimeTokens {
    return this.get(OneTimeTokens);
  }

  register(email: unknown, more: object = {}): Promise<Answer> {
    return this.call(undefined, 'POST', 'register', { email, ...more });
  }

  complete(token: unknown, more: object = {}): Promise<Answer> {
    return this.call(undefined, 'POST', 'register/complete', { token, password: PASSWORD, ...more });
  }

  /** 200, or the code and the reason of the refusal. */
  async outcomeOf(token: string, more: object = {}): Promise<string> {
    const { status, json } = await this.complete(token, more);
    return status === 200 ? '200' : [json.code, json.reason].filter(Boolean).join(' ');
  }

  /** A link to register, as if the mail had been read. */
  async linkTo(address: string, more: object = {}): Promise<string> {
    const data = { address, ...more };
    const subject = address.toLowerCase();
    return (await this.tokens.issue({ purpose: 'register', subject, data, ttlSeconds: 86_400 })).token;
  }

  /** Invites, and returns the token of the mail. */
  async invitation(admin: string, email: string, more: object = {}): Promise<string> {
    bodyOf(await this.call(admin, 'POST', 'invitations', { email, ...more }), 201);
    return tokenIn(await this.mail('invite', email));
  }

  /** The last mail of a kind to an address, once it has left. */
  mail(kind: string, to: string): Promise<AuthMail> {
    return until(() => this.box.mails.findLast((mail) => mail.kind === kind && mail.to === to));
  }

  /** Waits until every mail was sent, so that a test can say that there are no others. */
  mailsSent(): Promise<void> {
    return mailsSentBy(this);
  }

  /** How many live links the table has about an address. */
  linksTo(key: string): Promise<number> {
    return this.rowsOf(AuthOneTime).countBy({ subject: key });
  }

  eventsOf(subject: string): string[] {
    return this.events.filter((event) => event.subject === subject).map(({ type }) => type);
  }
}

/** The random delay of mails is then the shortest. Call it in `beforeEach`, once all applications are created. */
export function withoutDelays(): void {
  jest.spyOn(Math, 'random').mockReturnValue(0);
}

export function tokenIn({ link = '' }: AuthMail): string {
  return link.slice(link.indexOf('#') + 1);
}
