import { Injectable } from '@nestjs/common';
import { type AccountChange, AuthErrorCode, AuthException } from 'kit-auth';
import {
  ActingAdministrators,
  ActiveUserStore,
  type Address,
  type AdminAuthority,
  badRequest,
} from 'kit-auth/feature';
import { type IssuedToken, MAX_DATA_BYTES, OneTimeTokens } from 'kit-auth/store';
import type { AuthMail } from 'kit-auth-email';
import { Accounts, taken } from '../accounts.js';
import { EmailModuleParts } from '../email-module-parts.js';
import { INVITE, INVITE_PERMISSION, type InvitationData, LIFETIME_SECONDS } from '../link-tokens.js';
import type { InvitationView, SentInvitation } from '../registration.api.js';
import { InvitationRoles } from './invitation-roles.js';

/** The person to invite. */
export interface NewInvitation {
  readonly address: Address;
  readonly nickname: string | undefined;
  readonly roles: readonly string[];
  readonly locale: string | undefined;
}

/** Sends invitations by mail. */
@Injectable()
export class Invitations {
  constructor(
    private readonly administrators: ActingAdministrators,
    private readonly users: ActiveUserStore,
    private readonly email: EmailModuleParts,
    private readonly accounts: Accounts,
    private readonly tokens: OneTimeTokens,
    private readonly roles: InvitationRoles,
  ) {}

  /**
   * Sends an invitation. It replaces an earlier one to the same address.
   *
   * @throws AuthException 40000 for unknown roles, 40120 for administrative ones when the login is not fresh, 40300 for
   * roles beyond the inviter's authority, in this or the earlier invitation, 40900 for the address of an account, 50300
   * when too many mails wait
   */
  invite({ address: { address, key }, nickname, roles, locale }: NewInvitation): Promise<SentInvitation> {
    const administrator = this.administrators.begin(INVITE_PERMISSION);
    const { action, userId } = administrator;
    const data: InvitationData = {
      address,
      roles,
      inviterId: userId,
      ...(nickname !== undefined && { nickname }),
    };
    if (Buffer.byteLength(JSON.stringify(data)) > MAX_DATA_BYTES) {
      throw badRequest('The nickname and the roles together are too long');
    }
    return administrator.noting(async () => {
      const authority = await administrator.authority();
      await this.roles.require(roles, authority);
      if (await this.accounts.has(key)) {
        throw taken();
      }
      let issuing: Promise<IssuedToken> | undefined = undefined;
      // Reserve a place in the queue first: if it is full, no invitation is stored. The mail waits for the commit.
      this.email.queue.add({ kind: 'invite' }, async () => {
        const issued = await issuing?.catch(() => undefined);
        return issued && this.mailOf(address, issued, locale);
      });
      issuing = this.users.transaction(action, async (change) => {
        await this.requireReach(key, authority, change);
        const issued = await this.tokens.issue(
          {
            purpose: INVITE,
            subject: key,
            data,
            ttlSeconds: LIFETIME_SECONDS[INVITE],
            replaces: true,
          },
          change.transaction,
        );
        await change.note({ type: 'invited', subject: key, detail: `roles: ${roles.join(', ') || 'none'}` });
        return issued;
      });
      const { id, expiresAt } = await issuing;
      return { id, email: address, expiresAt };
    });
  }

  /** Live invitations, oldest first. */
  async list(): Promise<InvitationView[]> {
    return (await this.tokens.list({ purpose: INVITE })).map(({ id, data, createdAt, expiresAt }) => {
      const { address, nickname, roles, inviterId } = data as InvitationData;
      const named = nickname === undefined ? {} : { nickname };
      return { id, email: address, ...named, roles, inviterId, createdAt, expiresAt };
    });
  }

  /**
   * Ends an invitation, and any other to the same address.
   *
   * @throws AuthException 40300 when it has roles beyond the administrator's authority, 40400
   */
  end(id: string): Promise<void> {
    const administrator = this.administrators.begin(INVITE_PERMISSION);
    return administrator.noting(async () => {
      const authority = await administrator.authority();
      await this.users.transaction(administrator.action, async (change) => {
        const [invitation] = await this.tokens.list({ purpose: INVITE, id }, change.transaction);
        const subject = invitation?.subject;
        if (subject === undefined) {
          throw notFound();
        }
        await this.requireReach(subject, authority, change);
        if ((await this.tokens.cancel({ purpose: INVITE, subject }, change.transaction)) === 0) {
          throw notFound();
        }
        await change.note({ type: 'invitation-ended', subject });
      });
    });
  }

  /**
   * @throws AuthException 40300 when a live invitation to the address has roles beyond the administrator's authority
   */
  private async requireReach(key: string, authority: AdminAuthority, change: AccountChange): Promise<void> {
    const live = await this.tokens.list({ purpose: INVITE, subject: key }, change.transaction);
    for (const { data } of live) {
      await this.roles.requireReach(data as InvitationData, authority, change);
    }
  }

  private mailOf(to: string, { token, expiresAt }: IssuedToken, locale: string | undefined): AuthMail {
    const link = this.email.links.build(INVITE, token);
    return { kind: 'invite', to, link, expiresAt, ...(locale !== undefined && { locale }) };
  }
}

function notFound(): AuthException {
  return AuthException.refusal(AuthErrorCode.NOT_FOUND, { message: 'Invitation not found' });
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    /** An administrator has sent an invitation. The subject is the name that the account will have. */
    invited: true;
    'invitation-ended': true;
  }
}
