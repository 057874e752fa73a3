import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { Controller, Get, type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { CurrentUser, type LoginUser, RequireRoles } from 'kit-auth';
import { actingAs, KitAuthTestingModule } from 'kit-auth-testing';
import request from 'supertest';

@Controller('v1/cats')
class CatsController {
  @Get()
  @RequireRoles('keeper')
  list(@CurrentUser() user: LoginUser) {
    return [`a cat of ${user.username}`];
  }
}

describe('the cats', () => {
  let app: INestApplication;

  beforeAll(async () => {
    const module = await Test.createTestingModule({
      imports: [KitAuthTestingModule.forRoot()], // and the module that you test
      controllers: [CatsController],
    }).compile();
    app = module.createNestApplication();
    await app.init();
  });

  afterAll(() => app.close());

  it('are listed for keepers', async () => {
    const ada = await actingAs(app, { username: 'ada', roles: ['keeper'] });
    await request(app.getHttpServer()).get('/v1/cats').set(ada.headers).expect(200, ['a cat of ada']);

    const visitor = await actingAs(app);
    await request(app.getHttpServer()).get('/v1/cats').set(visitor.headers).expect(403);
    await request(app.getHttpServer()).get('/v1/cats').expect(401);
  });
});
