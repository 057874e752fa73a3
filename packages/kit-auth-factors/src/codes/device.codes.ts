import { Inject, Injectable, Logger } from '@nestjs/common';
import type { FactorOutcome, UserId } from 'kit-auth';
import { factorsOptions, type ResolvedFactorsOptions } from '../factors.options.js';
import { type Device, FactorStore } from '../stores/factor.store.js';
import { SecretSealer } from '../secrets/secret.sealer.js';
import { matchedStep } from '../secrets/totp.js';

/** Checks the codes of devices. */
@Injectable()
export class DeviceCodes {
  private readonly logger = new Logger('KitAuth');
  private readonly window: number;

  constructor(
    private readonly store: FactorStore,
    private readonly sealer: SecretSealer,
    @Inject(factorsOptions.token) { settings }: ResolvedFactorsOptions,
  ) {
    this.window = settings.totp.window;
  }

  /** Checks a code against the confirmed devices of a user, and consumes it. Rejects with 50300, like `FactorStore`. */
  async use(userId: UserId, code: string): Promise<FactorOutcome> {
    const devices = await this.store.read(userId, (factors) => factors.confirmed());
    let outcome: FactorOutcome = 'wrong';
    for (const device of devices) {
      const found = this.stepOf(device, code);
      if (found === 'unreadable') {
        outcome = found;
      } else if (found !== undefined && (await this.store.use(this.renewed(device), found))) {
        return 'right';
      }
    }
    return outcome;
  }

  /** The time step of a code. @returns undefined for a wrong code */
  stepOf(
    { id, userId, secret }: Pick<Device, 'id' | 'userId' | 'secret'>,
    code: string,
  ): number | 'unreadable' | undefined {
    const opened = this.sealer.open(secret, userId);
    if (opened === undefined) {
      this.logger.error(
        `[auth] the secret in the row ${id} of auth_totp cannot be decrypted: the row was changed, or its key is missing in ` +
          'kit.auth.factors.keys',
      );
      return 'unreadable';
    }
    return matchedStep(opened, code, this.window, Date.now());
  }

  /** The secret of a device, sealed with the first key, so that old keys can be removed at some point. */
  private renewed({ id, userId, secret }: Device): Pick<Device, 'id' | 'secret'> {
    const opened = this.sealer.isOutdated(secret) ? this.sealer.open(secret, userId) : undefined;
    return { id, secret: opened === undefined ? secret : this.sealer.seal(opened, userId) };
  }
}
