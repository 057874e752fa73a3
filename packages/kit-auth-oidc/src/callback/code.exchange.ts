import { Injectable } from '@nestjs/common';
import { AuthErrorCode, type AuthEvent, type AuthEventSink, AuthException, type UserId } from 'kit-auth';
import { ATTEMPT_EVENTS } from 'kit-auth/feature';
import type { LoginAnswer } from 'kit-auth/login';
import { isHashOf, OneTimeTokens } from 'kit-auth/store';
import { IdentityLogin, type ProviderLogin } from '../identities/identity.login.js';
import { LinkOrConfirmation } from '../link/link-or-confirmation.js';
import { externalLoginFailed, failedIfInvalid } from '../refusals.js';
import type { Attempt, Initiator } from '../start/attempts.js';
import { IdentityStore } from '../stores/identity.store.js';

const PURPOSE = 'oidc-code';
const LIFETIME_SECONDS = 60;

/** The attempt that a code completes. */
export interface CodeSubject extends Pick<Attempt, 'purpose' | 'remember'> {
  readonly userId: UserId;
  readonly login: ProviderLogin;
  /** The unverified address, for a link. */
  readonly address: string | undefined;
  /** Undefined for a login. */
  readonly initiator: Initiator | undefined;
}

interface CodeData extends Omit<CodeSubject, 'userId' | 'initiator'> {
  readonly challenge: string;
  readonly loginId?: string | undefined;
}

/**
 * Issues one-time codes with PKCE to apps, and to pages without cookies, and exchanges them. Codes are useless without the
 * verifier. They end with the sessions of their user.
 */
@Injectable()
export class CodeExchange implements AuthEventSink {
  readonly ignores = ATTEMPT_EVENTS;

  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly identities: IdentityStore,
    private readonly logins: IdentityLogin,
    private readonly linkOrConfirmation: LinkOrConfirmation,
  ) {}

  /**
   * @returns the code. It ends when the security stamp of the user changes
   * @throws AuthException 40111 for a disabled user
   */
  async issue({ userId, initiator, ...rest }: CodeSubject, challenge: string): Promise<string> {
    const data: CodeData = { ...rest, challenge, loginId: initiator?.loginId };
    const wanted = { purpose: PURPOSE, userId, ttlSeconds: LIFETIME_SECONDS, data };
    try {
      return (await this.tokens.issue(wanted)).token;
    } catch (error) {
      throw error instanceof AuthException && error.code === AuthErrorCode.NOT_FOUND
        ? AuthException.refusal(AuthErrorCode.USER_DISABLED)
        : error;
    }
  }

  /**
   * @param request its body has the fields of login steps. For a link or a re-authentication, it has the token of the initiator
   * @returns undefined for a link, which does not change the login
   * @throws AuthException 40114 `state` for an invalid code or another verifier, and like `Callbacks.complete()`
   */
  async exchange(
    code: string,
    verifier: string,
    request: { readonly body?: unknown },
  ): Promise<LoginAnswer | undefined> {
    const begun = this.logins.begin(request);
    const { userId, initiator, remember, ...rest } = await this.redeem(code, verifier);
    const { login } = rest;
    if (initiator !== undefined) {
      const answer = await this.linkOrConfirmation.complete({ ...rest, initiator }, request, begun);
      return answer && { ...answer, remember };
    }
    if ((await this.identities.find(login))?.userId !== userId) {
      throw externalLoginFailed('state'); // it was removed meanwhile
    }
    return { ...(await this.logins.logIn(userId, login, begun)), remember };
  }

  /** Ends the codes of a user with the sessions. */
  async keep({ subjectId, endedSessions }: AuthEvent, transaction?: unknown): Promise<void> {
    if (subjectId !== null && endedSessions === 'all') {
      await this.tokens.cancel({ purpose: PURPOSE, userId: subjectId }, transaction);
    }
  }

  private async redeem(code: string, verifier: string): Promise<CodeSubject> {
    const { userId, data } = await failedIfInvalid(() => this.tokens.peek(PURPOSE, code));
    const { challenge, loginId, ...rest } = data as CodeData;
    if (userId === undefined || !isHashOf(verifier, challenge)) {
      throw externalLoginFailed('state');
    }
    await failedIfInvalid(() => this.tokens.claim(PURPOSE, code, undefined));
    return { ...rest, userId, initiator: rest.purpose === 'login' ? undefined : { userId, loginId } };
  }
}
