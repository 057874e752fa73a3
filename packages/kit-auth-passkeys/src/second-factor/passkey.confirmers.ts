import { Injectable } from '@nestjs/common';
import type { LoginStep, LoginUser } from 'kit-auth';
import { SecondFactors } from 'kit-auth/second-factor';

/** Tells what users can show to confirm a login: with passkeys, some have no password. */
@Injectable()
export class PasskeyConfirmers implements LoginStep {
  constructor(private readonly factors: SecondFactors) {}

  confirmersOf(user: LoginUser): Promise<readonly string[]> {
    return this.factors.confirmersOf(user);
  }
}
