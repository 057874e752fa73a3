import type { NotedEvent } from 'kit-auth';
import type { AuthMail, AuthMailKind } from '../mail/auth-mail.js';
import type { AskedLocale } from './mail.locales.js';
import type { Timer } from './timers.js';

/** The data of the event `mail-failed`. */
export interface MailedAbout extends Pick<NotedEvent, 'subjectId' | 'subject'> {
  readonly kind: AuthMailKind;
}

/** Returns the mail, or undefined to send none. */
export type PrepareMail = () => Promise<AuthMail | undefined>;

/** A mail in the queue. */
export class QueuedMail {
  /** The user or the network that it belongs to. */
  readonly group: string;
  private readonly prepare: PrepareMail;
  /** The kind of notice. Undefined for requested mails. */
  readonly notice: string | undefined;
  readonly asked: AskedLocale | undefined;
  about: MailedAbout;
  /** Whether it is being prepared or sent right now. Otherwise it waits. */
  isBusy = false;
  /** Set when another mail takes its place. */
  displaced: Error | undefined;
  /** The timer that it waits for. */
  timer: Timer | undefined;
  /** Resolves when it was sent or given up. */
  done = Promise.resolve();

  constructor({
    group,
    about,
    prepare,
    notice,
    asked,
  }: Pick<QueuedMail, 'group' | 'about' | 'notice' | 'asked'> & { readonly prepare: PrepareMail }) {
    this.group = group;
    this.about = about;
    this.prepare = prepare;
    this.notice = notice;
    this.asked = asked;
  }

  /** Prepares the mail. It may be of another kind than was announced, such as `already-registered`. */
  async prepared(): Promise<AuthMail | undefined> {
    const mail = await this.prepare();
    if (mail !== undefined) {
      const { kind, user } = mail;
      this.about = {
        ...this.about,
        kind,
        ...(user && { subjectId: user.userId, subject: user.username }),
      };
    }
    return mail;
  }
}
