import { Module } from '@nestjs/common';
import { KitAuthModule } from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { AuthModule } from '../1-before/auth.module.js';
import { NotesController } from '../1-before/notes.controller.js';
import { AccountStoreModule } from './account.store.js';
import { ReportsController } from './reports.controller.js';
import { secrets } from './secrets.js';

@Module({
  imports: [
    AuthModule,
    KitAuthModule.forRoot({
      users: AccountStoreModule,
      protect: 'decorated',
      jwt: { secret: secrets().newSecret, expireMinutes: 60 },
    }),
    KitAuthJwtModule,
  ],
  controllers: [NotesController, ReportsController],
})
export class AppModule {}
