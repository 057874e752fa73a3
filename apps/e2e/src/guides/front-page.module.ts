import { Controller, Get, Module } from '@nestjs/common';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { CurrentUser, KitAuthModule, type LoginUser } from 'kit-auth';
import { KitAuthSessionModule } from 'kit-auth-session';

const database: TypeOrmModuleOptions = {
  type: 'better-sqlite3',
  database: ':memory:',
  autoLoadEntities: true,
  synchronize: true,
};

@Controller('v1/hello')
export class HelloController {
  @Get()
  hello(@CurrentUser() user: LoginUser) {
    return { hello: user.nickname };
  }
}

@Module({
  imports: [
    TypeOrmModule.forRoot(database),
    KitAuthModule.forRoot(), // the guard, the login, roles
    KitAuthSessionModule, // or KitAuthJwtModule
  ],
  controllers: [HelloController],
})
export class AppModule {}
