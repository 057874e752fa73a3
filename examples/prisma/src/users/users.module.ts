import { Module } from '@nestjs/common';
import { AUTH_USER_STORE } from 'kit-auth';
import { PrismaUserStore } from './prisma.user-store.js';
import { UsersController } from './users.controller.js';
import { UsersService } from './users.service.js';

@Module({
  controllers: [UsersController],
  providers: [UsersService, { provide: AUTH_USER_STORE, useClass: PrismaUserStore }],
})
export class UsersModule {}
