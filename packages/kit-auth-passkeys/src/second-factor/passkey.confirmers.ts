import { Injectable } from '@nestjs/common';
import type { AccountChange, LoginStep, LoginUser } from 'kit-auth';
import { SecondFactors } from 'kit-auth/second-factor';
import { PasskeyStore } from '../stores/passkey.store.js';

/** Tells with what users log in, and confirm a login: with passkeys, some have no password. */
@Injectable()
export class PasskeyConfirmers implements LoginStep {
  constructor(
    private readonly factors: SecondFactors,
    private readonly store: PasskeyStore,
  ) {}

  firstFactorsOf({ userId }: LoginUser, { transaction }: AccountChange): Promise<readonly string[]> {
    return this.store.change(userId, transaction, async (passkeys) =>
      (await passkeys.latest()).map(() => 'passkey'),
    );
  }

  confirmersOf(user: LoginUser): Promise<readonly string[]> {
    return this.factors.confirmersOf(user);
  }
}
