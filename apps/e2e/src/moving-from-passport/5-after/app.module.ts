import { Module } from '@nestjs/common';
import { KitAuthModule } from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { AccountStoreModule } from '../2-beside/account.store.js';
import { ReportsController } from '../2-beside/reports.controller.js';
import { NotesController } from '../3-both/notes.controller.js';
import { AuthController } from '../4-switch/auth.controller.js';

@Module({
  imports: [
    KitAuthModule.forRoot({
      users: AccountStoreModule,
      protect: ['/**'],
      jwt: { secret: process.env['KIT_AUTH_JWT_SECRET'], expireMinutes: 60 },
    }),
    KitAuthJwtModule,
  ],
  controllers: [AuthController, NotesController, ReportsController],
})
export class AppModule {}
