import { Injectable } from '@nestjs/common';
import type { AccountChange, AuthAddresses, UserId } from 'kit-auth';
import { UserAddresses } from './user-addresses.js';

/** The addresses of the users, for other packages. */
@Injectable()
export class KnownAddresses implements AuthAddresses {
  constructor(private readonly addresses: UserAddresses) {}

  async addressOf(userId: UserId): Promise<{ address: string; verified: boolean } | undefined> {
    const found = await this.addresses.find(userId);
    return found && { address: found.address, verified: found.verifiedAt !== undefined };
  }

  async ownerOf(
    address: string,
    change?: AccountChange,
  ): Promise<{ userId: UserId; verified: boolean } | undefined> {
    const found = await this.addresses.findByKey(address, change?.transaction);
    return found && { userId: found.userId, verified: found.verifiedAt !== undefined };
  }

  /** Of a new account, whose address a provider has verified. */
  async keepVerified(userId: UserId, address: string, { transaction }: AccountChange): Promise<void> {
    await this.addresses.assign(userId, address, { verified: true, source: 'owner' }, transaction);
  }
}
