import { AsyncResource } from 'node:async_hooks';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { AuthErrorCode, AuthEvents, AuthException, KitAuthContext, type NotedEvent } from 'kit-auth';
import { networkOfClient, type Waiting, withinDeadline } from 'kit-auth/tools';
import { ActiveMailer } from './active.mailer.js';
import type { AuthMail, AuthMailKind } from './auth-mail.js';
import { FairTurns } from './fair.turns.js';
import { type RequestLocale, MailLocales } from './mail.locales.js';
import { safeReason } from './safe-reason.js';

const PLACES = 1000;
/** Requested mails give up their places until there are this many notices. */
const FOR_NOTICES = PLACES / 4;
const AT_ONCE = 5;
const OF_GROUP_AT_ONCE = 2;
const DELAY_MS = { min: 50, max: 1000 };
const TIMEOUT_MS = 10_000;
const RETRIES_MS = [1000, 10_000, 60_000];
const SHUTDOWN_MS = 3000;

/** The data of the event `mail-failed`. */
export interface MailSubject extends Pick<NotedEvent, 'subjectId' | 'subject'> {
  readonly kind: AuthMailKind;
}

/** Returns the mail, or undefined to send none. */
export type PrepareMail = () => Promise<AuthMail | undefined>;

/** A mail that is not sent yet. */
interface QueuedMail extends Waiting {
  /** The user or the network that it belongs to. */
  readonly group: string;
  readonly prepare: PrepareMail;
  /** Identifies notices that would say the same. Undefined for requested mails. */
  readonly notice: string | undefined;
  readonly asked: RequestLocale | undefined;
  about: MailSubject;
  /** It is being prepared or sent right now. Otherwise it waits. */
  isBusy: boolean;
  /** Set when another mail takes its place. */
  displaced?: Error;
  /** Ends its delay. */
  wake?: () => void;
  /** Abandons its work. */
  abandon?: () => void;
}

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
  /** All mails that are not sent yet, in the order of arrival. They include those that are being sent. */
  private readonly mails = new Set<QueuedMail>();
  private readonly preparations = new FairTurns<QueuedMail>(AT_ONCE, OF_GROUP_AT_ONCE);
  private readonly sends = new FairTurns<QueuedMail>(AT_ONCE, OF_GROUP_AT_ONCE);
  private ungrouped = 0;
  private isClosing = false;
  private isClosed = false;
  private emptied = (): void => undefined;

  constructor(
    private readonly mailer: ActiveMailer,
    private readonly locales: MailLocales,
    private readonly events: AuthEvents,
    private readonly context: KitAuthContext,
  ) {}

  /**
   * Queues a requested mail, and returns immediately. If 1,000 mails wait, the newest mail of the largest group is dropped,
   * unless that is the group of this mail.
   *
   * @param about with the `subjectId` of the mail's user. Without it, the mail belongs to the network of the current
   * request
   * @param prepare runs within about a second. Then the mail is sent. If it rejects, no mail is sent
   * @throws AuthException 50300 when there is no place
   */
  add(about: MailSubject, prepare: PrepareMail): void {
    this.queue(about, prepare, undefined);
  }

  /** The number of mails that wait or are being sent. */
  get size(): number {
    return this.mails.size;
  }

  /**
   * Queues a notice to a user. While one of this kind waits for the user, no second one is queued. Requested mails give
   * up their places for notices. If there is still no place, publishes `mail-failed`.
   *
   * @param to the recipient, if there are notices to several addresses
   */
  tell(about: MailSubject, prepare: PrepareMail, to = ''): void {
    const { kind, subjectId } = about;
    const notice = JSON.stringify([kind, subjectId, to]);
    if ([...this.mails].some((mail) => mail.notice === notice && !mail.isBusy)) {
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
    this.mails.forEach((mail) => mail.wake?.());
    if (this.size > 0) {
      const sent = new Promise<void>((resolve) => (this.emptied = resolve));
      await withinDeadline(SHUTDOWN_MS, sent).catch(() => undefined);
    }
    this.isClosed = true;
    if (this.size > 0) {
      this.logger.error(`[auth] ${this.size} mails were not sent: the application ended`);
    }
    this.mails.forEach((mail) => mail.abandon?.());
  }

  private queue(about: MailSubject, prepare: PrepareMail, notice: string | undefined): void {
    const asked = this.locales.asked();
    const mail: QueuedMail = { group: this.groupOf(about), about, prepare, notice, asked, isBusy: false };
    const displaced = this.isClosed ? mail : this.displacedBy(mail);
    if (displaced === mail) {
      throw AuthException.refusal(AuthErrorCode.AUTH_UNAVAILABLE, { retryAfter: 10 });
    }
    this.mails.add(mail);
    if (displaced !== undefined) {
      this.displace(displaced);
    }
    void this.scope
      .runInAsyncScope(() => this.deliver(mail))
      // Rejects only if the logger of the application throws.
      .catch(() => undefined)
      .then(() => this.remove(mail));
  }

  private groupOf({ subjectId }: MailSubject): string {
    if (subjectId !== undefined && subjectId !== null) {
      return `user ${subjectId}`;
    }
    const client = this.context.client();
    return client === undefined ? `mail ${this.ungrouped++}` : `network ${networkOfClient(client)}`;
  }

  /**
   * If no place is left, the largest group of requested mails gives up its newest one: for a notice, or for a requested mail of
   * a smaller group. Notices keep their places.
   *
   * @returns the mail without a place, if any: the new one, or the one that it replaces
   */
  private displacedBy(mail: QueuedMail): QueuedMail | undefined {
    if (this.size < PLACES) {
      return undefined;
    }
    const groups = new Map<string, QueuedMail[]>();
    for (const one of this.mails) {
      if (one.notice === undefined && !one.isBusy) {
        const group = groups.get(one.group) ?? [];
        group.push(one);
        groups.set(one.group, group);
      }
    }
    const [largest = []] = [...groups.values()].sort((a, b) => b.length - a.length);
    const isEntitled =
      mail.notice === undefined
        ? largest.length > (groups.get(mail.group)?.length ?? 0) + 1
        : [...this.mails].filter(({ notice }) => notice !== undefined).length < FOR_NOTICES;
    return (isEntitled ? largest.at(-1) : undefined) ?? mail;
  }

  private displace(mail: QueuedMail): void {
    this.remove(mail);
    mail.displaced = new Error('too many mails wait');
    mail.wake?.();
    this.preparations.refuse(mail, mail.displaced);
    this.sends.refuse(mail, mail.displaced);
  }

  private remove(mail: QueuedMail): void {
    this.mails.delete(mail);
    if (this.size === 0) {
      this.emptied();
    }
  }

  private async deliver(queued: QueuedMail): Promise<void> {
    try {
      await this.delay(queued, DELAY_MS.min + Math.random() * (DELAY_MS.max - DELAY_MS.min));
      const mail = await this.inTurn(this.preparations, queued, () => this.prepare(queued));
      if (mail !== undefined) {
        await this.send(queued, mail);
      }
    } catch (error) {
      if (!this.isClosed) {
        this.failed(queued.about, error);
      }
    }
  }

  /** The mail may be of another kind than was announced, such as `already-registered`. */
  private async prepare(queued: QueuedMail): Promise<AuthMail | undefined> {
    const mail = await queued.prepare();
    if (mail === undefined) {
      return undefined;
    }
    const { kind, user } = mail;
    const subject = user && { subjectId: user.userId, subject: user.username };
    queued.about = { ...queued.about, kind, ...subject };
    return this.locales.fill(mail, queued.about.subjectId, queued.asked);
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

  /** @throws Error when another mail takes the place */
  private async delay(queued: QueuedMail, milliseconds: number): Promise<void> {
    if (!this.isClosing) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        queued.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    if (queued.displaced !== undefined) {
      throw queued.displaced;
    }
  }

  private inTurn<T>(turns: FairTurns<QueuedMail>, queued: QueuedMail, work: () => Promise<T>): Promise<T> {
    return turns.run(queued, async () => {
      if (this.isClosed) {
        throw new Error('the application ended');
      }
      if (queued.displaced !== undefined) {
        throw queued.displaced;
      }
      queued.isBusy = true;
      try {
        return await this.withinTime(queued, work);
      } finally {
        queued.isBusy = false;
      }
    });
  }

  /** Abandons work that takes too long, and all of it when the application ends. Late results have no effect. */
  private async withinTime<T>(queued: QueuedMail, work: () => Promise<T>): Promise<T> {
    let end = (): void => undefined;
    const late = new Promise<never>((_, reject) => {
      const abandon = () => reject(new Error(`no answer in ${TIMEOUT_MS / 1000} s`));
      const timer = setTimeout(abandon, TIMEOUT_MS);
      queued.abandon = abandon;
      end = () => clearTimeout(timer);
    });
    try {
      return await Promise.race([work(), late]);
    } finally {
      end();
    }
  }

  private failed({ kind, ...subject }: MailSubject, error: unknown): void {
    this.logger.error(`[auth] the mail ${kind} was not sent: ${safeReason(error)}`);
    this.events.begin().note({ type: 'mail-failed', ...subject, success: false, detail: kind });
  }
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    'mail-failed': true;
  }
}
