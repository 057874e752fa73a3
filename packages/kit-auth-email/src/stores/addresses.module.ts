import { Injectable, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type AccountChange, AUTH_ADDRESSES, type AuthAddresses, type UserId } from 'kit-auth';
import { CommandHooks } from 'kit-auth/feature';
import { AuthUserEmail } from './auth-user-email.entity.js';
import { UserAddresses } from './user-addresses.js';

// Adds the entity to data sources with autoLoadEntities. Its module is not imported: that fails without a data source.
TypeOrmModule.forFeature([AuthUserEmail]);

/** The addresses of the users, for other packages. */
@Injectable()
class KnownAddresses implements AuthAddresses {
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

  /** Stores the address of a new account, which a provider has verified. */
  async keepVerified(userId: UserId, address: string, { transaction }: AccountChange): Promise<void> {
    await this.addresses.assign(userId, address, { verified: true, source: 'owner' }, transaction);
  }
}

/** Nest creates it once, even for two imports of `KitAuthEmailModule.forRoot()`. Their refusal names that module. */
@CommandHooks()
@Module({
  providers: [UserAddresses, KnownAddresses, { provide: AUTH_ADDRESSES, useExisting: KnownAddresses }],
  exports: [UserAddresses],
})
export class AddressesModule {}
