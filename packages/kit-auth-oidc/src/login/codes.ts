import { Injectable } from '@nestjs/common';
import { AuthErrorCode, AuthException, type UserId } from 'kit-auth';
import { isHashOf, OneTimeTokens } from 'kit-auth/one-time';
import type { AskingLogin, Attempt } from '../attempts/attempts.js';
import { endedIfInvalid } from '../attempts/ended.js';
import { externalLoginFailed } from '../contract/refusals.js';
import type { ReturnedLogin } from './returned-login.js';

/** The purpose of the codes. */
export const CODE = 'oidc-code';
const LIFETIME_SECONDS = 60;

/** What a code stands for. */
export interface Exchanged extends Pick<Attempt, 'purpose' | 'remember'> {
  readonly userId: UserId;
  readonly login: ReturnedLogin;
  /** As claimed, for a link. */
  readonly address: string | undefined;
  /** Undefined for a login. */
  readonly asking: AskingLogin | undefined;
}

interface CodeData extends Omit<Exchanged, 'userId' | 'asking'> {
  readonly challenge: string;
  readonly loginId?: string | undefined;
}

/** Codes for apps, and for pages without cookies: whoever intercepts one lacks the verifier. */
@Injectable()
export class Codes {
  constructor(private readonly tokens: OneTimeTokens) {}

  /**
   * @returns the code. It ends when the security stamp of the user changes
   * @throws AuthException 40111 for a disabled user
   */
  async issue({ userId, asking, ...rest }: Exchanged, challenge: string): Promise<string> {
    const data: CodeData = { ...rest, challenge, loginId: asking?.loginId };
    const wanted = { purpose: CODE, userId, ttlSeconds: LIFETIME_SECONDS, data };
    try {
      return (await this.tokens.issue(wanted)).token;
    } catch (error) {
      throw error instanceof AuthException && error.code === AuthErrorCode.NOT_FOUND
        ? AuthException.refusal(AuthErrorCode.USER_DISABLED)
        : error;
    }
  }

  /** @throws AuthException 40114 `state` for a code that is over, and for another verifier */
  async exchange(code: string, verifier: string): Promise<Exchanged> {
    const { userId, data } = await endedIfInvalid(() => this.tokens.peek(CODE, code));
    const { challenge, loginId, ...rest } = data as CodeData;
    if (userId === undefined || !isHashOf(verifier, challenge)) {
      throw externalLoginFailed('state');
    }
    await endedIfInvalid(() => this.tokens.claim(CODE, code, undefined));
    return { ...rest, userId, asking: rest.purpose === 'login' ? undefined : { userId, loginId } };
  }
}
