import { Injectable } from '@nestjs/common';
import type { AuthProvider } from '../contract/auth-provider.js';
import type { Principal } from '../contract/login-proof.js';
import type { UserId } from '../contract/user-id.js';
import { AuthErrorCode } from '../errors/auth-error-code.js';
import { AuthException } from '../errors/auth.exception.js';
import { Ports } from './ports.js';

/** The token implementation of the application. */
@Injectable()
export class ActiveProvider {
  constructor(private readonly ports: Ports) {}

  /** @throws IllegalStateException when `kit.auth.enabled` is false, and the error of a start-up that failed */
  get(): AuthProvider {
    return this.ports.requireProvider();
  }

  /** Undefined when there is none. */
  find(): AuthProvider | undefined {
    return this.ports.provider;
  }

  /** Notifies the implementation of changes to one user or to any number of them: it drops cached copies. */
  userChanged(userId?: UserId): void {
    this.get().userChanged?.(userId);
  }

  /** Whether the implementation resolved the token of a principal, rather than a credential. */
  hasResolved({ scheme }: Principal): boolean {
    return scheme === this.get().extensionName;
  }

  /**
   * Whether a token was issued while its user had this security stamp. True where the implementation cannot tell, and
   * for tokens of credentials.
   */
  isIssuedFor(principal: Principal, stamp: string): boolean {
    const provider = this.get();
    return (
      !this.hasResolved(principal) ||
      provider.isIssuedFor === undefined ||
      provider.isIssuedFor(principal.token, stamp)
    );
  }

  /**
   * Refuses tokens from before the last change of the user.
   *
   * @param stamp the current one; undefined for users who are unknown or not enabled
   * @throws AuthException 40101 with the reason `revoked`
   */
  requireIssuedFor(principal: Principal, stamp: string | undefined): void {
    if (stamp === undefined || !this.isIssuedFor(principal, stamp)) {
      throw AuthException.refusal(AuthErrorCode.TOKEN_INVALID, { reason: 'revoked' });
    }
  }
}
