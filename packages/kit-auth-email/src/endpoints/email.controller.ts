import { Get, Header, HttpCode, HttpStatus, Post, Req } from '@nestjs/common';
import { KitAuthContext, Public, RequireFresh } from 'kit-auth';
import { ActiveLogins, type JsonRequest, KitAuthController, readTexts } from 'kit-auth/extend';
import { AddressConfirmation } from '../address-change/address.confirmation.js';
import { AddressLinks } from '../address-change/address.links.js';
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
    private readonly limits: MailLimits,
    private readonly logins: ActiveLogins,
    private readonly context: KitAuthContext,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  async get(): Promise<{ email: string | null; verified: boolean }> {
    const found = await this.addresses.find(this.context.getOrThrow().userId);
    return { email: found?.address ?? null, verified: found?.verifiedAt !== undefined };
  }

  /** Nothing changes before the new address is proved. */
  @Post()
  @RequireFresh()
  @HttpCode(HttpStatus.ACCEPTED)
  @Header('Cache-Control', 'no-store')
  async change(@Req() request: JsonRequest): Promise<void> {
    const user = this.context.getOrThrow();
    const loginId = this.logins.currentId();
    const wanted = readAddress(request);
    await this.limits.countRequest();
    await this.links.change(user, wanted, loginId);
  }

  @Post('verify')
  @HttpCode(HttpStatus.ACCEPTED)
  @Header('Cache-Control', 'no-store')
  async verify(): Promise<void> {
    const user = this.context.getOrThrow();
    await this.limits.countRequest();
    await this.links.verify(user);
  }

  @Post('confirm')
  @Public()
  @HttpCode(HttpStatus.NO_CONTENT)
  @Header('Cache-Control', 'no-store')
  async confirm(@Req() request: JsonRequest): Promise<void> {
    const { token } = readTexts(request, ['token']);
    await this.confirmation.confirm(token);
  }
}
