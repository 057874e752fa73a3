import { AsyncResource } from 'node:async_hooks';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { AuthErrorCode, AuthEvents, AuthException, type NotedEvent } from 'kit-auth';
import { withinDeadline } from 'kit-auth/extend';
import pLimit from 'p-limit';
import { ActiveMailer } from './active.mailer.js';
import type { AuthMail, AuthMailKind } from '../mail/auth-mail.js';
import { safeReason } from './safe-reason.js';
import { Timers } from './timers.js';

const MAX_MAILS = 1000;
const AT_ONCE = 5;
const DELAY_MS = { min: 50, max: 1000 };
const TIMEOUT_MS = 10_000;
const RETRIES_MS = [1000, 10_000, 60_000];
const SHUTDOWN_MS = 3000;

/** What the event `mail-failed` says. */
export interface MailedAbout extends Pick<NotedEvent, 'subjectId' | 'subject'> {
  readonly kind: AuthMailKind;
}

/** Returns the mail, or undefined to send none. */
type PrepareMail = () => Promise<AuthMail | undefined>;

/**
 * Sends mails in the background. `prepare` also runs in the background, so neither the answer nor its time reveals whether
 * an address is known.
 *
 * @example
 * this.mails.add({ kind: 'reset' }, async () => {
 *   const user = await this.addresses.findByKey(key);
 *   return user && { kind: 'reset', to: user.address, link: await this.linkFor(user) };
 * });
 */
@Injectable()
export class MailQueue implements BeforeApplicationShutdown {
  private readonly logger = new Logger('KitAuth');
  /** Mails run outside the async context of the request, and never join its transaction. */
  private readonly scope = new AsyncResource('MailQueue');
  private readonly mails = new Set<Promise<void>>();
  private readonly preparations = pLimit(AT_ONCE);
  private readonly sends = pLimit(AT_ONCE);
  private readonly delays = new Timers();
  private readonly deadlines = new Timers();
  private isClosing = false;
  private isClosed = false;

  constructor(
    private readonly mailer: ActiveMailer,
    private readonly events: AuthEvents,
  ) {}

  /**
   * Queues a mail and returns immediately.
   *
   * @param prepare runs within about a second. After it, the mail is sent. If it rejects, there is no mail
   * @throws AuthException 50300 when 1,000 mails wait
   */
  add(about: MailedAbout, prepare: PrepareMail): void {
    if (this.mails.size >= MAX_MAILS || this.isClosed) {
      throw AuthException.refusal(AuthErrorCode.AUTH_UNAVAILABLE, { retryAfter: 10 });
    }
    const done = this.scope.runInAsyncScope(() => this.deliver(about, prepare));
    this.mails.add(done);
    const left = () => this.mails.delete(done);
    done.then(left, left);
  }

  /** How many mails wait, or are being sent. */
  get size(): number {
    return this.mails.size;
  }

  /**
   * Like `add()`, but does not throw: if the queue is full, publishes `mail-failed`. For notices of completed changes.
   */
  tell(about: MailedAbout, prepare: PrepareMail): void {
    try {
      this.add(about, prepare);
    } catch (error) {
      this.failed(about, error);
    }
  }

  /** Sends what waits, within three seconds. Then it gives up. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    this.delays.endAll();
    await withinDeadline(SHUTDOWN_MS, this.emptied()).catch(() => undefined);
    this.isClosed = true;
    if (this.mails.size > 0) {
      this.logger.error(`[auth] ${this.mails.size} mails were not sent: the application ended`);
    }
    this.deadlines.endAll();
  }

  private async emptied(): Promise<void> {
    while (this.mails.size > 0) {
      await Promise.allSettled(this.mails);
    }
  }

  /** Rejects only where the logger of the application throws. */
  private async deliver(about: MailedAbout, prepare: PrepareMail): Promise<void> {
    let mail: AuthMail | undefined;
    try {
      await this.delay(DELAY_MS.min + Math.random() * (DELAY_MS.max - DELAY_MS.min));
      mail = await this.preparations(() => this.within(prepare));
      if (mail !== undefined) {
        await this.send(mail);
      }
    } catch (error) {
      if (!this.isClosed) {
        this.failed(mail === undefined ? about : { ...about, ...aboutOf(mail) }, error);
      }
    }
  }

  private failed({ kind, ...subject }: MailedAbout, error: unknown): void {
    this.logger.error(`[auth] the mail ${kind} was not sent: ${safeReason(error)}`);
    this.events.begin().note({ type: 'mail-failed', ...subject, success: false, detail: kind });
  }

  private async send(mail: AuthMail): Promise<void> {
    for (const waitMs of [...RETRIES_MS, undefined]) {
      try {
        await this.sends(() => this.within(() => this.mailer.send(mail)));
        return;
      } catch (error) {
        if (waitMs === undefined || this.isClosing) {
          throw error;
        }
        await this.delay(waitMs);
      }
    }
  }

  private async delay(milliseconds: number): Promise<void> {
    if (!this.isClosing) {
      await this.delays.start(milliseconds).over;
    }
  }

  /** Abandons work that takes too long. Its answer, whenever it comes, has no effect. */
  private async within<T>(work: () => Promise<T>): Promise<T> {
    if (this.isClosed) {
      throw new Error('the application ended');
    }
    const deadline = this.deadlines.start(TIMEOUT_MS);
    const late = deadline.over.then(() => {
      throw new Error(`no answer in ${TIMEOUT_MS / 1000} s`);
    });
    try {
      return await Promise.race([work(), late]);
    } finally {
      deadline.end();
      late.catch(() => undefined);
    }
  }
}

/** `prepare` may return another kind than was announced, such as `already-registered`. */
function aboutOf({ kind, user }: AuthMail): MailedAbout {
  return { kind, ...(user && { subjectId: user.userId, subject: user.username }) };
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    'mail-failed': true;
  }
}
