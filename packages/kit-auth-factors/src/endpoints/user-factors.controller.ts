import { Delete, Get, Header, HttpCode, HttpStatus, Param } from '@nestjs/common';
import { RequireFresh, RequirePermissions } from 'kit-auth';
import { KitAuthController } from 'kit-auth/extend';
import { FactorReset, READ, WRITE } from '../administration/factor.reset.js';
import type { FactorList } from '../administration/user-factors.js';

/** The factors of other users. */
@KitAuthController('users')
export class KitAuthUserFactorsController {
  constructor(private readonly resets: FactorReset) {}

  @Get(':id/factors')
  @RequirePermissions(READ)
  @Header('Cache-Control', 'no-store')
  list(@Param('id') id: string): Promise<FactorList> {
    return this.resets.listOf(id);
  }

  @Delete(':id/factors')
  @RequirePermissions(WRITE)
  @RequireFresh()
  @HttpCode(HttpStatus.NO_CONTENT)
  removeAll(@Param('id') id: string): Promise<void> {
    return this.resets.removeAll(id);
  }
}
