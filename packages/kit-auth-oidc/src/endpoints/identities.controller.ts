import { Delete, Get, Header, HttpCode, HttpStatus, Param, Query } from '@nestjs/common';
import { RequireFresh } from 'kit-auth';
import { BeforeEnrolment, KitAuthController, OWN_CHANGES, readFlag } from 'kit-auth/extend';
import { OwnIdentities } from '../identities/own-identities.js';
import type { IdentityInfo } from '../identities/user-identities.js';

/** The identities of the current user. */
@KitAuthController('identities')
@BeforeEnrolment()
export class KitAuthIdentitiesController {
  constructor(private readonly identities: OwnIdentities) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  list(): Promise<IdentityInfo[]> {
    return this.identities.list();
  }

  @Delete(':id')
  @RequireFresh(OWN_CHANGES)
  @HttpCode(HttpStatus.NO_CONTENT)
  remove(@Param('id') id: string, @Query() query: object): Promise<void> {
    return this.identities.remove(id, readFlag(query, 'endOthers') ?? false);
  }
}
