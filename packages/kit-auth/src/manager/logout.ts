import { Injectable } from '@nestjs/common';
import type { SessionEndReason } from '../contract/auth-sessions.js';
import { AuthException } from '../errors/auth.exception.js';
import { ActiveLogins } from '../ports/active.provider.js';
import { Ports } from '../ports/ports.js';
import { TokenResolver } from '../ports/token.resolver.js';

/** Ends tokens, and the logins that they belong to. */
@Injectable()
export class Logout {
  constructor(
    private readonly ports: Ports,
    private readonly resolver: TokenResolver,
    private readonly logins: ActiveLogins,
  ) {}

  /** See `AuthManager.logout()`. */
  async end(token: string, reason?: SessionEndReason): Promise<void> {
    const provider = this.ports.requireProvider();
    if (this.logins.areKept()) {
      await this.endLogin(token, reason);
    }
    await provider.invalidate(token, reason);
  }

  private async endLogin(token: string, reason: SessionEndReason | undefined): Promise<void> {
    try {
      await this.logins.end(await this.resolver.resolve(token), reason);
    } catch (error) {
      if (!(error instanceof AuthException) || error.getStatus() !== 401) {
        throw error;
      }
    }
  }
}
