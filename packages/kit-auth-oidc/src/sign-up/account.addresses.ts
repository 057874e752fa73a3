import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AUTH_ADDRESSES, type AccountChange, type AuthAddresses, type UserId } from 'kit-auth';
import { ActiveUserStore, Ports } from 'kit-auth/feature';

/** Finds accounts by their addresses. */
@Injectable()
export class AccountAddresses implements OnModuleInit {
  private addresses: AuthAddresses | undefined;

  constructor(
    private readonly ports: Ports,
    private readonly users: ActiveUserStore,
  ) {}

  /** @throws IllegalStateException when two modules contribute addresses */
  onModuleInit(): void {
    this.addresses = this.ports.only<AuthAddresses>(AUTH_ADDRESSES, 'AuthAddresses', [
      'addressOf',
      'ownerOf',
      'keepVerified',
    ]);
  }

  /** Whether a module knows the addresses of accounts. */
  get areKnown(): boolean {
    return this.addresses !== undefined;
  }

  /**
   * Finds the account with an address, or with the username that a new account with this address would get.
   *
   * @param key the address in lower case
   */
  async ownerOf(key: string): Promise<UserId | undefined> {
    const owner = (await this.addresses?.ownerOf(key))?.userId;
    return (
      owner ?? (this.users.has('findByUsername') ? (await this.users.findByUsername(key))?.id : undefined)
    );
  }

  /** @throws AuthException 40900 when another user has the address */
  async keepVerified(userId: UserId, address: string, change: AccountChange): Promise<void> {
    await this.addresses?.keepVerified(userId, address, change);
  }
}
