import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { Controller, Get, type INestApplication, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CurrentUser, KitAuthModule, type LoginUser } from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { actingAs, KitAuthTestingModule } from 'kit-auth-testing';
import request from 'supertest';
import { DataSource } from 'typeorm';

@Controller('v1/hello')
class HelloController {
  @Get()
  hello(@CurrentUser() user: LoginUser) {
    return { hello: user.nickname };
  }
}

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: 'postgres://localhost:1/no-such-server',
      autoLoadEntities: true,
    }),
    KitAuthModule.forRoot(),
    KitAuthJwtModule,
  ],
  controllers: [HelloController],
})
class AppModule {}

describe('the application', () => {
  let app: INestApplication;

  beforeAll(async () => {
    const builder = Test.createTestingModule({ imports: [AppModule] });
    const module = await KitAuthTestingModule.replaceIn(builder)
      .overrideProvider(DataSource) // an application without tables of its own needs no database
      .useValue({ getRepository: () => undefined })
      .compile();
    app = module.createNestApplication();
    await app.init();
  });

  afterAll(() => app.close());

  it('greets the user', async () => {
    const { headers } = await actingAs(app, { nickname: 'Ada' });
    await request(app.getHttpServer()).get('/v1/hello').set(headers).expect(200, { hello: 'Ada' });
  });
});
