import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AuthErrorCode, AuthException, type UserId } from 'kit-auth';
import { OneTimeTokens } from 'kit-auth/store';
import type { CreationCeremony, RequestCeremony } from '../passkeys.api.js';
import { CEREMONY_SECONDS, type CredentialUser, WebAuthn } from './web-authn.js';

const CHALLENGE_BYTES = 32;

/** A ceremony of another purpose is refused. */
export type CeremonyPurpose = 'passkey-register' | 'passkey-login' | 'passkey-confirm';

/** The user and the login that can complete a ceremony. */
export interface CeremonyOwner {
  readonly userId: UserId;
  /** The id of the login, or a hash of its challenge before its second step. Undefined for logins without an id. */
  readonly login: string | undefined;
}

export interface BegunCeremony {
  /** The token that represents the ceremony. */
  readonly ceremony: string;
  readonly challenge: Uint8Array<ArrayBuffer>;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Ceremonies: a challenge of the server, and the response of an authenticator. Each is a one-time token with the challenge,
 * so any number can run at once, and each is completed once. A ceremony ends when the security stamp of its user changes.
 */
@Injectable()
export class Ceremonies {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly webAuthn: WebAuthn,
  ) {}

  /**
   * Begins a ceremony in which a passkey signs.
   *
   * @param owner default: any user
   * @param passkeys default: any passkey
   */
  async request(
    purpose: CeremonyPurpose,
    owner?: CeremonyOwner,
    passkeys?: CredentialUser['passkeys'],
  ): Promise<RequestCeremony> {
    const { ceremony, challenge, expiresAt } = await this.begin(purpose, owner);
    return { ceremony, options: await this.webAuthn.requestOptions(challenge, passkeys), expiresAt };
  }

  /** Begins the registration of a passkey. */
  async creation(
    purpose: CeremonyPurpose,
    owner: CeremonyOwner,
    user: CredentialUser,
  ): Promise<CreationCeremony> {
    const { ceremony, challenge, expiresAt } = await this.begin(purpose, owner);
    return { ceremony, options: await this.webAuthn.creationOptions(challenge, user), expiresAt };
  }

  /** @param owner default: any user */
  async begin(purpose: CeremonyPurpose, owner?: CeremonyOwner): Promise<BegunCeremony> {
    const bytes = randomBytes(CHALLENGE_BYTES);
    const data: CeremonyData = { challenge: bytes.toString('base64url') };
    const { token, expiresAt } = await this.tokens.issue({
      purpose,
      ttlSeconds: CEREMONY_SECONDS,
      data: owner?.login === undefined ? data : { ...data, login: owner.login },
      ...(owner && { userId: owner.userId }),
    });
    return {
      ceremony: token,
      challenge: new Uint8Array(bytes),
      expiresAt: Math.floor(expiresAt.getTime() / 1000),
    };
  }

  /**
   * Returns the challenge of a ceremony in base64url. The ceremony can still be completed.
   *
   * @param owner the user and the login of the request
   * @throws AuthException 40113, with the reason `challenge-ended` for a ceremony that is unknown, completed or too old,
   * or has another purpose
   */
  async challengeOf(purpose: CeremonyPurpose, ceremony: string, owner?: CeremonyOwner): Promise<string> {
    const { userId, data } = await endedIfInvalid(() => this.tokens.peek(purpose, ceremony));
    const { challenge, login } = (data ?? {}) as Partial<CeremonyData>;
    if (typeof challenge !== 'string') {
      throw ceremonyEnded();
    }
    if (userId !== owner?.userId || login !== owner?.login) {
      throw wrongPasskey();
    }
    return challenge;
  }

  /**
   * Completes a ceremony. Only one of several concurrent calls succeeds.
   *
   * @param transaction of the change that the ceremony allows
   * @throws AuthException 40113 `challenge-ended`
   */
  async complete(purpose: CeremonyPurpose, ceremony: string, transaction?: unknown): Promise<void> {
    await endedIfInvalid(() => this.tokens.claim(purpose, ceremony, transaction));
  }
}

interface CeremonyData {
  readonly challenge: string;
  readonly login?: string;
}

/** 40113, the same for each cause: an attacker must not learn whether a passkey exists. */
export function wrongPasskey(): AuthException {
  return AuthException.refusal(AuthErrorCode.FACTOR_FAILED, { message: 'The passkey was not accepted' });
}

async function endedIfInvalid<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AuthException && error.code === AuthErrorCode.LINK_INVALID
      ? ceremonyEnded()
      : error;
  }
}

function ceremonyEnded(): AuthException {
  return AuthException.refusal(AuthErrorCode.FACTOR_FAILED, {
    reason: 'challenge-ended',
    message: 'This attempt has ended. Ask for new options',
  });
}
