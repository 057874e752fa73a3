import { Module, ValidationPipe } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { APP_PIPE } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KitAuthModule, kitAuthConfig } from 'kit-auth';
import { KitAuthSessionModule } from 'kit-auth-session';
import { options } from './data-source';
import { OrdersModule } from './orders/orders.module';
import { UsersModule } from './users/users.module';

@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true }),
    TypeOrmModule.forRootAsync({
      inject: [ConfigService],
      useFactory: (config: ConfigService) => ({ ...options, url: config.getOrThrow('DATABASE_URL') }),
    }),
    KitAuthModule.forRootAsync({
      users: UsersModule,
      useFactory: () => ({ ...kitAuthConfig(), protect: ['/**'] }),
    }),
    KitAuthSessionModule.forRoot({ idleMinutes: 60 }),
    OrdersModule,
  ],
  providers: [{ provide: APP_PIPE, useValue: new ValidationPipe({ whitelist: true }) }],
})
export class AppModule {}
