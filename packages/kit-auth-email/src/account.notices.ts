import { Injectable } from '@nestjs/common';
import type { AuthEvent, AuthEventSink, UserId } from 'kit-auth';
import { ActiveUserStore, ATTEMPT_EVENTS } from 'kit-auth/feature';
import { summaryOf } from 'kit-auth/login';
import { OneTimeTokens } from 'kit-auth/store';
import { PendingChanges } from './addresses/pending-changes.js';
import { LOGIN_LINK } from './logins/login-links.js';
import type { AuthMail, AuthMailKind } from './mails/auth-mail.js';
import { MailLimits } from './mails/mail.limits.js';
import { MailQueue } from './mails/mail.queue.js';
import { UserAddresses } from './stores/user-addresses.js';

/** Notices after events, some of them of other packages. */
const NOTICES: Readonly<Record<string, AuthMailKind>> = {
  'password-changed': 'password-changed',
  'password-reset': 'password-changed',
  'factor-added': 'factor-changed',
  'factor-removed': 'factor-changed',
  'recovery-used': 'factor-changed',
  'recovery-renewed': 'factor-changed',
  'passkey-added': 'factor-changed',
  'passkey-removed': 'factor-changed',
  'identity-linked': 'factor-changed',
  'identity-removed': 'factor-changed',
  'key-created': 'key-created',
};

/** Notices to the account owner after failures. */
const FAILURES: Readonly<Record<string, AuthMailKind>> = {
  // A provider login with this address was refused, because the identity is not linked.
  'external-login-failed': 'already-registered',
};

/**
 * Sends notices. Ends pending changes of addresses and login links together with sessions, and deletes the address and the
 * links of a deleted user.
 */
@Injectable()
export class AccountNotices implements AuthEventSink {
  readonly ignores = ATTEMPT_EVENTS;

  constructor(
    private readonly mails: MailQueue,
    private readonly addresses: UserAddresses,
    private readonly users: ActiveUserStore,
    private readonly tokens: OneTimeTokens,
    private readonly limits: MailLimits,
    private readonly pending: PendingChanges,
  ) {}

  async keep({ type, subjectId, endedSessions }: AuthEvent, transaction?: unknown): Promise<void> {
    if (subjectId === null) {
      return;
    }
    if (type === 'user-deleted') {
      await this.addresses.remove(subjectId, transaction);
      await this.tokens.cancel({ userId: subjectId }, transaction);
    } else if (endedSessions !== undefined) {
      await this.pending.end(subjectId, transaction, endedSessions === 'all' ? undefined : endedSessions);
      if (endedSessions === 'all') {
        await this.tokens.cancel({ purpose: LOGIN_LINK, userId: subjectId }, transaction);
      }
    }
  }

  committed({ type, subjectId, subject, success }: AuthEvent): void {
    const kind = success ? NOTICES[type] : FAILURES[type];
    if (kind !== undefined && subjectId !== null) {
      this.mails.tell({ kind, subjectId, subject }, () => this.mailTo(subjectId, kind));
    }
  }

  private async mailTo(userId: UserId, kind: AuthMailKind): Promise<AuthMail | undefined> {
    const address = await this.addresses.find(userId);
    if (address === undefined || !(await this.limits.countNotice(kind, userId))) {
      return undefined;
    }
    const user = await this.users.loadLoginUser(userId);
    return { kind, to: address.address, ...(user && { user: summaryOf(user) }) };
  }
}
