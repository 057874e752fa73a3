import { Module } from '@nestjs/common';
import { KitAuthModule } from 'kit-auth';
import { AccountStoreModule } from '../2-beside/account.store.js';
import { ReportsController } from '../2-beside/reports.controller.js';
import { secrets } from '../2-beside/secrets.js';
import { NotesController } from '../3-both/notes.controller.js';
import { OldAndNewTokensModule } from '../3-both/old-and-new-tokens.js';
import { AuthController } from './auth.controller.js';

@Module({
  imports: [
    KitAuthModule.forRoot({
      users: AccountStoreModule,
      protect: ['/**'],
      jwt: { secret: secrets().newSecret, expireMinutes: 60 },
    }),
    OldAndNewTokensModule,
  ],
  controllers: [AuthController, NotesController, ReportsController],
})
export class AppModule {}
