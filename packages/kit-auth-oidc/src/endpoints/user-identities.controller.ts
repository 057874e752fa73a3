import { Delete, Get, Header, HttpCode, HttpStatus, Param } from '@nestjs/common';
import { RequireFresh, RequirePermissions } from 'kit-auth';
import { KitAuthController } from 'kit-auth/extend';
import { IdentityAdministration, READ, WRITE } from '../administration/identity.administration.js';
import type { IdentityInfo } from '../identities/user-identities.js';

/** The identities of other users. */
@KitAuthController('users')
export class KitAuthUserIdentitiesController {
  constructor(private readonly administration: IdentityAdministration) {}

  @Get(':id/identities')
  @RequirePermissions(READ)
  @Header('Cache-Control', 'no-store')
  list(@Param('id') id: string): Promise<IdentityInfo[]> {
    return this.administration.listOf(id);
  }

  @Delete(':id/identities')
  @RequirePermissions(WRITE)
  @RequireFresh()
  @HttpCode(HttpStatus.NO_CONTENT)
  removeAll(@Param('id') id: string): Promise<void> {
    return this.administration.remove(id);
  }

  @Delete(':id/identities/:identityId')
  @RequirePermissions(WRITE)
  @RequireFresh()
  @HttpCode(HttpStatus.NO_CONTENT)
  remove(@Param('id') id: string, @Param('identityId') identityId: string): Promise<void> {
    return this.administration.remove(id, identityId);
  }
}
