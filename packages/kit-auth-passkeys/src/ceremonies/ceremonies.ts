import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AuthErrorCode, AuthException, type UserId } from 'kit-auth';
import { OneTimeTokens } from 'kit-auth/one-time';
import { ceremonyEnded, wrongPasskey } from './refusals.js';

/** How long a ceremony can be completed. */
export const CEREMONY_SECONDS = 5 * 60;
const CHALLENGE_BYTES = 32;

/** What a ceremony is for. One of another purpose is refused. */
export type CeremonyPurpose = 'passkey-register' | 'passkey-login' | 'passkey-confirm';

/** For whom a ceremony is. */
export interface CeremonyOwner {
  readonly userId: UserId;
  /** The login that the ceremony belongs to, also one that is not complete. Undefined for logins that have no name. */
  readonly login: string | undefined;
}

export interface BegunCeremony {
  /** The token that represents the ceremony. */
  readonly ceremony: string;
  readonly challenge: Uint8Array<ArrayBuffer>;
  /** In seconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Ceremonies: a challenge of the server, and what an authenticator answers. Each is a one-time token with the challenge,
 * so any number can run at once, and each is completed once.
 */
@Injectable()
export class Ceremonies {
  constructor(private readonly tokens: OneTimeTokens) {}

  /**
   * Begins a ceremony. It ends when the security stamp of its user changes.
   *
   * @param owner undefined if anybody can complete it
   */
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
   * Looks a ceremony up, and leaves it as it is.
   *
   * @param owner who completes it
   * @returns the challenge in base64url
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
   * @param transaction that of the change which the ceremony allows
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

async function endedIfInvalid<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AuthException && error.code === AuthErrorCode.LINK_INVALID
      ? ceremonyEnded()
      : error;
  }
}
