import { hash } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import {
  KIT_AUTH_SETTINGS,
  KitAuthContext,
  type KitAuthSettings,
  type LoginLimiter,
  type UserId,
} from 'kit-auth';
import { Counters, type RateLimit } from 'kit-auth/login';
import { networkOfClient } from 'kit-auth/tools';
import { tooManyAttempts } from 'kit-auth/feature';
import type { AuthMailKind } from './auth-mail.js';
import { emailOptions, type ResolvedEmailOptions } from '../email.options.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const PER_DAY = 5;
const NOTICES_PER_HOUR = 10;
const CODES_PER_MINUTE = 60;

/** Limits the mails that clients can cause. */
@Injectable()
export class MailLimits implements OnModuleInit {
  private readonly perHour: number;
  private ofClient!: RateLimit;
  private loginLinks!: RateLimit;
  private codes!: RateLimit;
  private perMinute!: LoginLimiter;
  private perDay!: LoginLimiter;
  private notices!: LoginLimiter;

  constructor(
    private readonly counters: Counters,
    private readonly context: KitAuthContext,
    @Inject(emailOptions.token) { settings }: ResolvedEmailOptions,
    @Inject(KIT_AUTH_SETTINGS) private readonly core: KitAuthSettings,
  ) {
    this.perHour = settings.requestsPerHour;
  }

  /** @throws IllegalStateException when `kit.auth.login.throttle.limiter` does not return a limiter */
  onModuleInit(): void {
    if (!this.core.enabled) {
      return;
    }
    this.ofClient = this.counters.limit('email:client', this.perHour, HOUR, 'mail');
    this.loginLinks = this.counters.limit('email:login-link', this.perHour, HOUR, 'mail');
    this.codes = this.counters.limit('email:login-code', CODES_PER_MINUTE, MINUTE, 'mail');
    this.perMinute = this.counters.make('email:minute', 1, MINUTE);
    this.perDay = this.counters.make('email:day', PER_DAY, DAY);
    this.notices = this.counters.make('email:notice', NOTICES_PER_HOUR, HOUR);
  }

  /**
   * Counts the current request for a mail. The endpoints that send mails share one budget per network. Login links have one of their own.
   *
   * @throws AuthException 42900 with `Retry-After` when there were too many
   */
  async countRequest(of: 'mail' | 'login-link' = 'mail'): Promise<void> {
    await this.countClient(of === 'mail' ? this.ofClient : this.loginLinks);
  }

  /**
   * Counts a code that the client of the current request shows to log in: 60 a minute per network.
   *
   * @throws AuthException 42900 with `Retry-After` when there were too many
   */
  async countCode(): Promise<void> {
    await this.countClient(this.codes);
  }

  /**
   * Counts a mail to an address. An address gets one mail of a kind a minute, and five a day. The kinds have separate
   * budgets, so that an attacker cannot prevent a reset by registering with the address of a user. Call it before a
   * token is issued. Do not reveal the result to the client.
   *
   * @param addressKey the address in lower case, so that all spellings share one budget
   * @param place the name of a known place. It has a budget of its own, so strangers do not use it up
   * @returns whether the mail may be sent
   */
  async countMail(
    kind: AuthMailKind | 'change-address',
    addressKey: string,
    place?: string,
  ): Promise<boolean> {
    const key = ['address', kind, addressKey, ...(place === undefined ? [] : [place])];
    return (await this.waitMs(keyOf(...key))) === 0;
  }

  /**
   * Counts a reset link that an administrator sends. It has a budget of its own, of the same size, so that an attacker cannot exhaust it.
   *
   * @param addressKey the address in lower case
   * @throws AuthException 42900 with `Retry-After` when there were too many
   */
  async countSentLink(addressKey: string): Promise<void> {
    const waitMs = await this.waitMs(keyOf('sent-link', addressKey));
    if (waitMs > 0) {
      throw tooManyAttempts('mail', waitMs);
    }
  }

  /**
   * Counts a mail with a code that confirms a login. A user gets at most five a day, so that the thief of a token cannot
   * fill the mailbox.
   *
   * @throws AuthException 42900 with `Retry-After` when there were too many
   */
  async countConfirmation(userId: UserId): Promise<void> {
    const { consumedPoints, msBeforeNext } = await this.perDay.penalty(keyOf('confirm', String(userId)));
    if (consumedPoints > PER_DAY) {
      throw tooManyAttempts('mail', Math.max(1, msBeforeNext));
    }
  }

  /**
   * Counts a notice to a user. A user gets at most ten of a kind in an hour.
   *
   * @returns whether it may be sent
   * @throws Error for the first one beyond the limit, so that the queue reports it once
   */
  async countNotice(kind: AuthMailKind, userId: UserId): Promise<boolean> {
    const { consumedPoints } = await this.notices.penalty(keyOf('notice', kind, String(userId)));
    if (consumedPoints === NOTICES_PER_HOUR + 1) {
      throw new Error(`the user has got ${NOTICES_PER_HOUR} of them within an hour`);
    }
    return consumedPoints <= NOTICES_PER_HOUR;
  }

  private countClient(limit: RateLimit): Promise<void> {
    return limit.count(keyOf('client', networkOfClient({ address: this.context.client()?.address })));
  }

  /** Counts a mail. @returns 0 when it may be sent, otherwise the time until the next one may */
  private async waitMs(key: string): Promise<number> {
    const minute = await this.perMinute.penalty(key);
    if (minute.consumedPoints > 1) {
      return Math.max(1, minute.msBeforeNext);
    }
    const day = await this.perDay.penalty(key);
    return day.consumedPoints > PER_DAY ? Math.max(1, day.msBeforeNext) : 0;
  }
}

/** Hashes the key, so that the store of the counters gets no addresses. */
function keyOf(...parts: string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
