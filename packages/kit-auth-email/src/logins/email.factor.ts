import { Injectable } from '@nestjs/common';
import {
  AuthErrorCode,
  AuthException,
  type Factor,
  type FactorOutcome,
  KitAuthContext,
  type LoginAttempt,
  type LoginUser,
  type Principal,
  type ShownAnswer,
} from 'kit-auth';
import { ActiveProvider, Factors, loginKey, PasswordHashing, summaryOf } from 'kit-auth/login';
import { ActiveUserStore, badRequest } from 'kit-auth/feature';
import { turnOf } from 'kit-auth/tools';
import { type OneTimeToken, OneTimeTokens } from 'kit-auth/store';
import { newCode, readCode } from './login-codes.js';
import { MailLimits } from '../mails/mail.limits.js';
import { MailQueue } from '../mails/mail.queue.js';
import { type UserAddress, UserAddresses } from '../stores/user-addresses.js';

/** The purpose of codes that confirm a login. Their subject is the key of the login. */
const PURPOSE = 'confirm-login';
const LIFETIME_SECONDS = 600;
const MAX_ATTEMPTS = 5;

interface CodeData {
  /** A slow hash of the code in the mail. */
  readonly code: string;
  /** The key of the address that the mail went to. */
  readonly address: string;
}

/**
 * Confirms logins by a code in a mail to the verified address of a user. Only for users without a second factor: a mail must
 * not replace one.
 */
@Injectable()
export class EmailFactor implements Factor {
  readonly names = ['email'];
  readonly confirms = ['email'];
  readonly second = 'no';

  constructor(
    private readonly addresses: UserAddresses,
    private readonly factors: Factors,
    private readonly tokens: OneTimeTokens,
    private readonly hashing: PasswordHashing,
    private readonly mails: MailQueue,
    private readonly limits: MailLimits,
    private readonly users: ActiveUserStore,
    private readonly provider: ActiveProvider,
    private readonly context: KitAuthContext,
  ) {}

  async has({ userId }: LoginUser): Promise<readonly string[]> {
    return (await this.verifiedOf(userId)) === undefined ? [] : this.names;
  }

  /**
   * Sends a code in the background. It replaces the one before.
   *
   * @throws AuthException 40000 for a user without a verified address, or with a second factor of their own; 40101 for a token from
   * before the user was changed; 42900 after five codes in a day; 50300 when too many mails wait
   */
  async begin(login: Principal): Promise<undefined> {
    const { user } = login;
    const { userId, username } = user;
    const stamp = await this.users.stampOf(userId);
    this.provider.requireIssuedFor(login, stamp);
    const address = await this.verifiedOf(userId);
    if (address === undefined) {
      throw badRequest('This user has no verified address');
    }
    if (await this.hasSecond(user)) {
      throw badRequest('This user confirms logins with a second factor');
    }
    await this.limits.countConfirmation(userId);
    this.mails.add({ kind: 'confirm', subjectId: userId, subject: username }, async () => {
      const code = newCode();
      // A slow hash: with a fast one, a reader of the table could try all codes.
      const data: CodeData = { code: await this.hashing.hash(code), address: address.key };
      const { expiresAt } = await this.tokens.issue({
        purpose: PURPOSE,
        userId,
        subject: loginKey(login),
        ...(stamp !== undefined && { stamp }),
        data,
        ttlSeconds: LIFETIME_SECONDS,
        replaces: true,
      });
      return { kind: 'confirm', to: address.address, code, expiresAt, user: summaryOf(user) };
    });
    return undefined;
  }

  async verify({ user, answer }: ShownAnswer, { client }: LoginAttempt): Promise<FactorOutcome> {
    if (typeof answer !== 'string') {
      throw badRequest('Send a JSON object with "code" for the factor "email"');
    }
    const principal = this.context.principal();
    const code = readCode(answer);
    const token = (await this.tokens.list({ purpose: PURPOSE, userId: user.userId })).at(-1);
    if (code === undefined || token === undefined || principal === undefined) {
      return 'wrong';
    }
    if (token.subject !== loginKey(principal)) {
      return 'wrong'; // another login has asked for the code
    }
    return wrongIfEnded(async () => {
      // Before the comparison, so that parallel requests cannot try more than five codes.
      await this.tokens.attempt(PURPOSE, token, MAX_ATTEMPTS);
      const isRight = await this.hashing.verify(code, (token.data as CodeData).code, turnOf(client));
      return isRight ? this.use(token, user) : 'wrong';
    });
  }

  /** The user may have another stamp, another address or a second factor by now. */
  private async use(token: OneTimeToken, user: LoginUser): Promise<FactorOutcome> {
    await this.tokens.peek(PURPOSE, token);
    const address = await this.verifiedOf(user.userId);
    if (address?.key !== (token.data as CodeData).address || (await this.hasSecond(user))) {
      return 'wrong';
    }
    await this.tokens.claim(PURPOSE, token, undefined);
    return 'right';
  }

  private async verifiedOf(userId: LoginUser['userId']): Promise<UserAddress | undefined> {
    const found = await this.addresses.find(userId);
    return found?.verifiedAt === undefined ? undefined : found;
  }

  /** Includes factors that logins only offer, but no providers: they are not the user's own. */
  private async hasSecond(user: LoginUser): Promise<boolean> {
    return (await this.factors.secondOf(user, true)).names.some((name) => name !== 'oidc');
  }
}

async function wrongIfEnded(work: () => Promise<FactorOutcome>): Promise<FactorOutcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AuthException && error.code === AuthErrorCode.LINK_INVALID) {
      return 'wrong';
    }
    throw error;
  }
}
