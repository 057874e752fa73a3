import { Delete, Get, Header, HttpCode, HttpStatus, Param } from '@nestjs/common';
import { RequireFresh, RequirePermissions } from 'kit-auth';
import { KitAuthController } from 'kit-auth/extend';
import type { KeyInfo } from '../stores/stored-key.js';
import { UserKeys } from './user-keys.js';

const READ = 'auth:session:read';
const END = 'auth:session:end';

/** Administrators list and end the keys of users. */
@KitAuthController('users/:id/keys')
export class KitAuthUserKeysController {
  constructor(private readonly keys: UserKeys) {}

  @Get()
  @RequirePermissions(READ)
  @Header('Cache-Control', 'no-store')
  list(@Param('id') userId: string): Promise<KeyInfo[]> {
    return this.keys.listOf(userId, READ);
  }

  @Delete()
  @RequirePermissions(END)
  @RequireFresh()
  @HttpCode(HttpStatus.NO_CONTENT)
  endAll(@Param('id') userId: string): Promise<void> {
    return this.keys.endAll(userId, END);
  }

  @Delete(':keyId')
  @RequirePermissions(END)
  @RequireFresh()
  @HttpCode(HttpStatus.NO_CONTENT)
  end(@Param('id') userId: string, @Param('keyId') keyId: string): Promise<void> {
    return this.keys.end(userId, keyId, END);
  }
}
