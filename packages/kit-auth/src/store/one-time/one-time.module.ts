import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthOneTime } from './auth-one-time.entity.js';
import { OneTimeTokens } from './one-time.tokens.js';
import { CommandHooks } from '../../feature/commands/auth-command.js';
import { declareReasons } from '../../refusals/declared-reasons.js';
import { AuthErrorCode } from '../../errors/auth-error-code.js';
import { ActiveUserStore } from '../../users/active.user-store.js';

// Adds the entity to data sources with autoLoadEntities. Its module is not imported: that fails without a data source.
TypeOrmModule.forFeature([AuthOneTime]);

/**
 * One-time tokens, in the table `auth_one_time` of the application's data source. Packages that need them import it.
 *
 * @example
 * ```ts
 * @Module({ imports: [OneTimeModule], controllers: [DownloadController] })
 * export class DownloadModule {}
 * ```
 */
@CommandHooks()
@Module({
  providers: [OneTimeTokens, declareReasons({ [AuthErrorCode.LINK_INVALID]: ['expired'] })],
  exports: [OneTimeTokens],
})
export class OneTimeModule {
  constructor(users: ActiveUserStore, tokens: OneTimeTokens) {
    users.useLock(tokens);
  }
}
