import { Delete, Get, Header, HttpCode, HttpStatus, Param } from '@nestjs/common';
import { RequireFresh, RequirePermissions } from 'kit-auth';
import { KitAuthController } from 'kit-auth/extend';
import { PasskeyAdministration, READ, WRITE } from '../administration/passkey.administration.js';
import type { PasskeyInfo } from '../account/user-passkeys.js';

/** The passkeys of other users. */
@KitAuthController('users')
export class KitAuthUserPasskeysController {
  constructor(private readonly administration: PasskeyAdministration) {}

  @Get(':id/passkeys')
  @RequirePermissions(READ)
  @Header('Cache-Control', 'no-store')
  list(@Param('id') id: string): Promise<PasskeyInfo[]> {
    return this.administration.listOf(id);
  }

  @Delete(':id/passkeys')
  @RequirePermissions(WRITE)
  @RequireFresh()
  @HttpCode(HttpStatus.NO_CONTENT)
  removeAll(@Param('id') id: string): Promise<void> {
    return this.administration.remove(id);
  }

  @Delete(':id/passkeys/:passkeyId')
  @RequirePermissions(WRITE)
  @RequireFresh()
  @HttpCode(HttpStatus.NO_CONTENT)
  remove(@Param('id') id: string, @Param('passkeyId') passkeyId: string): Promise<void> {
    return this.administration.remove(id, passkeyId);
  }
}
