import { AsyncResource } from 'node:async_hooks';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { AuthErrorCode, AuthEvents, AuthException, KitAuthContext } from 'kit-auth';
import { networkOfClient, withinDeadline } from 'kit-auth/extend';
import type { AuthMail } from '../mail/auth-mail.js';
import { ActiveMailer } from './active.mailer.js';
import { FairTurns } from './fair.turns.js';
import { MailLocales } from './mail.locales.js';
import { MailPlaces } from './mail.places.js';
import { type MailedAbout, type PrepareMail, QueuedMail } from './queued-mail.js';
import { safeReason } from './safe-reason.js';
import { Timers } from './timers.js';
import { WorkDeadlines } from './work.deadlines.js';

const AT_ONCE = 5;
const OF_GROUP_AT_ONCE = 2;
const DELAY_MS = { min: 50, max: 1000 };
const TIMEOUT_MS = 10_000;
const RETRIES_MS = [1000, 10_000, 60_000];
const SHUTDOWN_MS = 3000;

/**
 * Sends mails in the background. `prepare` also runs in the background, so neither the answer nor its time reveals
 * whether an address is known. Users take turns, as do the networks of clients if a mail belongs to no user.
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
  private readonly places = new MailPlaces();
  private readonly preparations = new FairTurns<QueuedMail>(AT_ONCE, OF_GROUP_AT_ONCE);
  private readonly sends = new FairTurns<QueuedMail>(AT_ONCE, OF_GROUP_AT_ONCE);
  private readonly delays = new Timers();
  private readonly deadlines = new WorkDeadlines(TIMEOUT_MS);
  private ungrouped = 0;
  private isClosing = false;

  constructor(
    private readonly mailer: ActiveMailer,
    private readonly locales: MailLocales,
    private readonly events: AuthEvents,
    private readonly context: KitAuthContext,
  ) {}

  /**
   * Queues a requested mail, and returns immediately. If 1,000 mails wait, the user or the network with
   * the most requested mails gives up the last of them for one of another user.
   *
   * @param about with the `subjectId` of the mail's user. Without it, the mail belongs to the network of the current
   * request
   * @param prepare runs within about a second. Then the mail is sent. If it rejects, no mail is sent
   * @throws AuthException 50300 when there is no place
   */
  add(about: MailedAbout, prepare: PrepareMail): void {
    this.queue(about, prepare, undefined);
  }

  /** How many mails wait, or are being sent. */
  get size(): number {
    return this.places.size;
  }

  /**
   * Queues a notice to a user. While one of this kind waits for the user, no second one is queued. Requested mails give
   * up their places for notices. If there is still no place, publishes `mail-failed`.
   *
   * @param to the recipient, if there are notices to several addresses
   */
  tell(about: MailedAbout, prepare: PrepareMail, to = ''): void {
    const { kind, subjectId } = about;
    const notice = JSON.stringify([kind, subjectId, to]);
    if (this.places.all.some((mail) => mail.notice === notice && !mail.isBusy)) {
      return;
    }
    try {
      this.queue(about, prepare, notice);
    } catch (error) {
      this.failed(about, error);
    }
  }

  /** Sends the waiting mails for up to three seconds, then gives up. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    this.delays.endAll();
    await withinDeadline(SHUTDOWN_MS, this.places.emptied()).catch(() => undefined);
    this.deadlines.close();
    if (this.size > 0) {
      this.logger.error(`[auth] ${this.size} mails were not sent: the application ended`);
    }
  }

  private groupOf({ subjectId }: MailedAbout): string {
    if (subjectId !== undefined && subjectId !== null) {
      return `user ${subjectId}`;
    }
    const client = this.context.client();
    return client === undefined ? `mail ${this.ungrouped++}` : `network ${networkOfClient(client)}`;
  }

  private queue(about: MailedAbout, prepare: PrepareMail, notice: string | undefined): void {
    const asked = this.locales.asked();
    const mail = new QueuedMail({ group: this.groupOf(about), about, prepare, notice, asked });
    const displaced = this.deadlines.isClosed ? mail : this.places.add(mail);
    if (displaced === mail) {
      throw AuthException.refusal(AuthErrorCode.AUTH_UNAVAILABLE, { retryAfter: 10 });
    }
    if (displaced !== undefined) {
      this.displace(displaced);
    }
    mail.done = this.scope
      .runInAsyncScope(() => this.deliver(mail))
      // Rejects only where the logger of the application throws.
      .catch(() => undefined)
      .then(() => this.places.remove(mail));
  }

  private displace(mail: QueuedMail): void {
    mail.displaced = new Error('too many mails wait');
    mail.timer?.end();
    this.preparations.refuse(mail, mail.displaced);
    this.sends.refuse(mail, mail.displaced);
  }

  private async deliver(queued: QueuedMail): Promise<void> {
    try {
      await this.delay(queued, DELAY_MS.min + Math.random() * (DELAY_MS.max - DELAY_MS.min));
      const mail = await this.inTurn(this.preparations, queued, () => this.prepare(queued));
      if (mail !== undefined) {
        await this.send(queued, mail);
      }
    } catch (error) {
      if (!this.deadlines.isClosed) {
        this.failed(queued.about, error);
      }
    }
  }

  private async prepare(queued: QueuedMail): Promise<AuthMail | undefined> {
    const mail = await queued.prepared();
    return mail && this.locales.fill(mail, queued.about.subjectId, queued.asked);
  }

  private failed({ kind, ...subject }: MailedAbout, error: unknown): void {
    this.logger.error(`[auth] the mail ${kind} was not sent: ${safeReason(error)}`);
    this.events.begin().note({ type: 'mail-failed', ...subject, success: false, detail: kind });
  }

  private async send(queued: QueuedMail, mail: AuthMail): Promise<void> {
    for (const waitMs of [...RETRIES_MS, undefined]) {
      try {
        await this.inTurn(this.sends, queued, () => this.mailer.send(mail));
        return;
      } catch (error) {
        if (waitMs === undefined || this.isClosing || queued.displaced !== undefined) {
          throw error;
        }
        await this.delay(queued, waitMs);
      }
    }
  }

  private async delay(queued: QueuedMail, milliseconds: number): Promise<void> {
    if (!this.isClosing) {
      queued.timer = this.delays.start(milliseconds);
      await queued.timer.over;
    }
    if (queued.displaced !== undefined) {
      throw queued.displaced;
    }
  }

  private inTurn<T>(turns: FairTurns<QueuedMail>, queued: QueuedMail, work: () => Promise<T>): Promise<T> {
    return turns.run(queued, async () => {
      if (queued.displaced !== undefined) {
        throw queued.displaced;
      }
      queued.isBusy = true;
      try {
        return await this.deadlines.within(work);
      } finally {
        queued.isBusy = false;
      }
    });
  }
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    'mail-failed': true;
  }
}
