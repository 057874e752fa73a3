import { Module } from '@nestjs/common';
import { KitAuthModule } from 'kit-auth';
import { AuthModule } from '../1-before/auth.module.js';
import { AccountStoreModule } from '../2-beside/account.store.js';
import { ReportsController } from '../2-beside/reports.controller.js';
import { secrets } from '../2-beside/secrets.js';
import { NotesController } from './notes.controller.js';
import { OldAndNewTokensModule } from './old-and-new-tokens.js';

@Module({
  imports: [
    AuthModule,
    KitAuthModule.forRoot({
      users: AccountStoreModule,
      protect: 'decorated',
      jwt: { secret: secrets().newSecret, expireMinutes: 60 },
    }),
    OldAndNewTokensModule,
  ],
  controllers: [NotesController, ReportsController],
})
export class AppModule {}
