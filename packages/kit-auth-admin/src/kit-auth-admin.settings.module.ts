import { Module } from '@nestjs/common';
import { ADMIN_MODULE_OPTIONS, adminOptions } from './kit-auth-admin.options.js';

/** The options `kit.auth.admin`, which all modules of the package share. */
@Module({
  providers: [adminOptions.provider(ADMIN_MODULE_OPTIONS)],
  exports: [adminOptions.token],
})
export class AdminSettingsModule {}
