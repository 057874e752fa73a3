import { Module, ValidationPipe } from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import { KitAuthModule, kitAuthConfig } from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { ArticlesController } from './articles/articles.controller.js';
import { AuditModule } from './audit/audit.module.js';
import { DatabaseModule } from './database/database.module.js';
import { UsersModule } from './users/users.module.js';

@Module({
  imports: [
    DatabaseModule,
    KitAuthModule.forRootAsync({ ...kitAuthConfig.asProvider(), users: UsersModule }),
    KitAuthJwtModule,
    AuditModule,
  ],
  controllers: [ArticlesController],
  providers: [{ provide: APP_PIPE, useValue: new ValidationPipe({ whitelist: true }) }],
})
export class AppModule {}
