import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module, ValidationPipe } from '@nestjs/common';
import { APP_PIPE } from '@nestjs/core';
import { KitAuthModule, kitAuthConfig } from 'kit-auth';
import { KitAuthSessionModule } from 'kit-auth-session';
import { RedisSessionStore } from 'kit-auth-session/redis';
import { MembersModule } from './members/members.module';
import databaseConfig from './mikro-orm.config';

@Module({
  imports: [
    MikroOrmModule.forRootAsync({ useFactory: databaseConfig }),
    KitAuthModule.forRootAsync({ ...kitAuthConfig.asProvider(), users: MembersModule }),
    KitAuthSessionModule.forRootAsync({
      useFactory: () => ({
        idleMinutes: 60,
        store: new RedisSessionStore({
          url: process.env.REDIS_URL,
          keyPrefix: process.env.REDIS_PREFIX ?? 'members:',
        }),
      }),
    }),
  ],
  providers: [{ provide: APP_PIPE, useValue: new ValidationPipe({ whitelist: true }) }],
})
export class AppModule {}
