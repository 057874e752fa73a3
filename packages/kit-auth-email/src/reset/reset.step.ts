import { Injectable } from '@nestjs/common';
import type { LoginProof, LoginStep, VerifiedLogin } from 'kit-auth';
import { UserAddresses } from '../stores/user-addresses.js';

const MINUTES = 10;

/**
 * Adds the factor `email` to a login with a password that a link has set a short time ago. Users who have lost a passkey that
 * logins do not ask for can then replace it.
 */
@Injectable()
export class ResetStep implements LoginStep {
  constructor(private readonly addresses: UserAddresses) {}

  async afterFirstFactor({ user, proof }: VerifiedLogin): Promise<LoginProof | undefined> {
    if (proof.factors['password'] === undefined) {
      return undefined;
    }
    const resetAt = (await this.addresses.find(user.userId))?.resetAt?.getTime();
    return resetAt === undefined || Date.now() - resetAt > MINUTES * 60_000
      ? undefined
      : { ...proof, factors: { ...proof.factors, email: Math.floor(resetAt / 1000) } };
  }
}
