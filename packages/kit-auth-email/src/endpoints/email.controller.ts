import { Delete, Get, Header, HttpCode, HttpStatus, Post, Req } from '@nestjs/common';
import { AuthEvents, KitAuthContext, Public, RequireFresh } from 'kit-auth';
import { ActiveLogins, type JsonRequest, KitAuthController, OWN_CHANGES, readTexts } from 'kit-auth/extend';
import { AddressConfirmation } from '../address-change/address.confirmation.js';
import { AddressLinks } from '../address-change/address.links.js';
import { PendingChanges, type TokenRequest } from '../address-change/pending-changes.js';
import { MailLimits } from '../sending/mail.limits.js';
import { UserAddresses } from '../stores/user-addresses.js';
import { readAddress } from './read-address.js';

/** The address of the current user. */
@KitAuthController('email')
export class KitAuthEmailController {
  constructor(
    private readonly addresses: UserAddresses,
    private readonly links: AddressLinks,
    private readonly confirmation: AddressConfirmation,
    private readonly pending: PendingChanges,
    private readonly limits: MailLimits,
    private readonly logins: ActiveLogins,
    private readonly context: KitAuthContext,
    private readonly events: AuthEvents,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  async get(): Promise<{ email: string | null; verified: boolean }> {
    const found = await this.addresses.find(this.context.getOrThrow().userId);
    return { email: found?.address ?? null, verified: found?.verifiedAt !== undefined };
  }

  /**
   * Nothing changes until the new address is confirmed. Needs what adds a passkey, because a login by a link in a mail counts
   * there, and no recovery code.
   */
  @Post()
  @RequireFresh({ factors: 'second' })
  @RequireFresh(OWN_CHANGES)
  @HttpCode(HttpStatus.ACCEPTED)
  @Header('Cache-Control', 'no-store')
  async change(@Req() request: JsonRequest): Promise<void> {
    const user = this.context.getOrThrow();
    const action = this.events.begin();
    const loginId = this.logins.currentId();
    const wanted = readAddress(request);
    await this.limits.countRequest();
    await this.links.change(action, user, wanted, loginId);
  }

  /** Needs no fresh login, because it only cancels a change. */
  @Delete('pending')
  @HttpCode(HttpStatus.NO_CONTENT)
  async endPending(): Promise<void> {
    await this.pending.end(this.context.getOrThrow().userId);
  }

  @Post('verify')
  @HttpCode(HttpStatus.ACCEPTED)
  @Header('Cache-Control', 'no-store')
  async verify(): Promise<void> {
    const user = this.context.getOrThrow();
    await this.limits.countRequest();
    await this.links.verify(user);
  }

  /** Public, because users may open a link where they are not logged in. Some confirmations need a token. */
  @Post('confirm')
  @Public()
  @HttpCode(HttpStatus.NO_CONTENT)
  @Header('Cache-Control', 'no-store')
  async confirm(@Req() request: JsonRequest & TokenRequest): Promise<void> {
    const { token } = readTexts(request, ['token']);
    await this.confirmation.confirm(token, request);
  }
}
