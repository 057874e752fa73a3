import { Injectable, Logger } from '@nestjs/common';
import { KitAuthContext } from 'kit-auth';
import { describeError } from 'kit-auth/tools';
import { KeyStore } from '../stores/key.store.js';
import { OncePer } from './once-per.js';

const NOTED_EVERY_MS = 5 * 60_000;
const MAX_ADDRESS_LENGTH = 64;

/** Stores when and from where keys are used, at most every five minutes for each key. */
@Injectable()
export class KeyUses {
  private readonly logger = new Logger('KitAuthKeys');
  private readonly due = new OncePer(NOTED_EVERY_MS);

  constructor(
    private readonly store: KeyStore,
    private readonly context: KitAuthContext,
  ) {}

  /** Takes over the time of the last use from the table. */
  found(id: string, lastUsedAt: number | null): void {
    if (lastUsedAt !== null) {
      this.due.note(id, lastUsedAt);
    }
  }

  /** Records that a key is used now. Neither delays the request nor makes it fail. */
  note(id: string): void {
    if (this.due.isFirst(id)) {
      const address = this.context.client()?.address?.slice(0, MAX_ADDRESS_LENGTH) ?? null;
      const now = Date.now();
      this.store.touch(id, now, now - NOTED_EVERY_MS, address).catch((error: unknown) => {
        this.logger.debug(`[auth] the use of a key was not recorded: ${describeError(error)}`);
      });
    }
  }
}
