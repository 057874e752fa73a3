import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthOneTime } from './auth-one-time.entity.js';
import { OneTimeTokens } from './one-time.tokens.js';
import { CommandHooks } from '../commands/auth-command.js';

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
  providers: [OneTimeTokens],
  exports: [OneTimeTokens],
})
export class OneTimeModule {}
