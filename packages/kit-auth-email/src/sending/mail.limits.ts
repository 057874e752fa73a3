import { hash } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthException,
  KIT_AUTH_SETTINGS,
  KitAuthContext,
  type KitAuthSettings,
  type LoginLimiter,
} from 'kit-auth';
import { Counters, networkOf, noteThrottled } from 'kit-auth/extend';
import type { AuthMailKind } from '../mail/auth-mail.js';
import { emailOptions, type ResolvedEmailOptions } from '../config/email.options.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const PER_DAY = 5;

/** Limits the mails that anybody can cause. */
@Injectable()
export class MailLimits implements OnModuleInit {
  private readonly perHour: number;
  private ofClient!: LoginLimiter;
  private perMinute!: LoginLimiter;
  private perDay!: LoginLimiter;

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
    this.ofClient = this.counters.make('email:client', this.perHour, HOUR);
    this.perMinute = this.counters.make('email:minute', 1, MINUTE);
    this.perDay = this.counters.make('email:day', PER_DAY, DAY);
  }

  /**
   * Counts the current request for a mail. The endpoints that send mails share one budget per network.
   *
   * @throws AuthException 42900 with `Retry-After` when there were too many
   */
  async countRequest(): Promise<void> {
    const key = keyOf('client', networkOf(this.context.client()?.address ?? '') ?? 'unknown');
    const { consumedPoints, msBeforeNext } = await this.ofClient.penalty(key);
    if (consumedPoints > this.perHour) {
      noteThrottled('mail');
      throw AuthException.refusal(AuthErrorCode.TOO_MANY_ATTEMPTS, {
        retryAfter: Math.max(1, Math.ceil(msBeforeNext / 1000)),
      });
    }
  }

  /**
   * Counts a mail to an address. An address gets one mail of a kind a minute, and five a day. The kinds have separate
   * budgets, so that nobody can prevent a reset by registering with the address of a user. Call it before a token is
   * issued. Do not tell the client: the answer must not depend on the address.
   *
   * @param addressKey the address in lower case, so that all spellings share one budget
   * @returns whether the mail may be sent
   */
  async countMail(kind: AuthMailKind, addressKey: string): Promise<boolean> {
    const key = keyOf('address', kind, addressKey);
    return (
      (await this.perMinute.penalty(key)).consumedPoints <= 1 &&
      (await this.perDay.penalty(key)).consumedPoints <= PER_DAY
    );
  }
}

/** The store of the counters gets no addresses. */
function keyOf(...parts: string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
