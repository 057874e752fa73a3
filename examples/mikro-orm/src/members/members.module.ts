import { MikroOrmModule } from '@mikro-orm/nestjs';
import { Module } from '@nestjs/common';
import { AUTH_USER_STORE, PASSWORD_HASHER } from 'kit-auth';
import { Argon2Hasher } from './argon2.hasher';
import { Member } from './member.entity';
import { MembersController } from './members.controller';
import { MembersService } from './members.service';
import { MikroOrmUserStore } from './mikro-orm.user-store';

@Module({
  imports: [MikroOrmModule.forFeature([Member])],
  controllers: [MembersController],
  providers: [
    MembersService,
    { provide: AUTH_USER_STORE, useClass: MikroOrmUserStore },
    { provide: PASSWORD_HASHER, useClass: Argon2Hasher },
  ],
})
export class MembersModule {}
