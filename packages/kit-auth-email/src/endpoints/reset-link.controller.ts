import { Header, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { AuthErrorCode, AuthException, RequireFresh, RequirePermissions } from 'kit-auth';
import { ActingAdministrators, ActiveUserStore, conflict, KitAuthController } from 'kit-auth/extend';
import { ResetLinks } from '../reset/reset.links.js';
import { MailLimits } from '../sending/mail.limits.js';
import { UserAddresses } from '../stores/user-addresses.js';

const WRITE = 'auth:user:write';

/** Administrators start a reset. They do not choose the password (OWASP ASVS 6.4.6). */
@KitAuthController('users')
export class KitAuthResetLinkController {
  constructor(
    private readonly administrators: ActingAdministrators,
    private readonly users: ActiveUserStore,
    private readonly addresses: UserAddresses,
    private readonly links: ResetLinks,
    private readonly limits: MailLimits,
  ) {}

  @Post(':id/reset-link')
  @RequirePermissions(WRITE)
  @RequireFresh()
  @HttpCode(HttpStatus.ACCEPTED)
  @Header('Cache-Control', 'no-store')
  send(@Param('id') text: string): Promise<void> {
    const administrator = this.administrators.begin(WRITE);
    return administrator.noting(async () => {
      const authority = await administrator.authority();
      const id = this.users.idFrom(text);
      const [user, address] =
        id === undefined ? [] : await Promise.all([this.users.loadLoginUser(id), this.addresses.find(id)]);
      if (user === undefined) {
        throw address === undefined
          ? new AuthException(AuthErrorCode.NOT_FOUND, { message: 'User not found' })
          : conflict('The user is not enabled');
      }
      authority.require(user);
      if (address === undefined) {
        throw conflict('The user has no email address');
      }
      await this.limits.countSentLink(address.key);
      this.links.sendFor(user, address, administrator.action);
    });
  }
}
