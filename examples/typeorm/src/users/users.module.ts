import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AUTH_USER_STORE } from 'kit-auth';
import { Role } from './role.entity';
import { TypeOrmUserStore } from './typeorm.user-store';
import { User } from './user.entity';
import { UsersController } from './users.controller';
import { UsersService } from './users.service';

@Module({
  imports: [TypeOrmModule.forFeature([User, Role])],
  controllers: [UsersController],
  providers: [UsersService, { provide: AUTH_USER_STORE, useClass: TypeOrmUserStore }],
})
export class UsersModule {}
