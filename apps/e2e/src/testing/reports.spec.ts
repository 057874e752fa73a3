import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { Controller, Get, type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { CurrentUser, type LoginUser, RequireRoles } from 'kit-auth';
import { actingAs, expectAccess, KitAuthTestingModule } from 'kit-auth-testing';
import request from 'supertest';

@Controller('v1/reports')
class ReportsController {
  @Get()
  @RequireRoles('accountant')
  report(@CurrentUser() user: LoginUser) {
    return { readBy: user.username };
  }
}

describe('reports', () => {
  let app: INestApplication;

  beforeAll(async () => {
    const module = await Test.createTestingModule({
      imports: [KitAuthTestingModule.forRoot()],
      controllers: [ReportsController],
    }).compile();
    app = module.createNestApplication();
    await app.init();
  });

  afterAll(() => app.close());

  it('name the user who reads them', async () => {
    const ada = await actingAs(app, { username: 'ada', roles: ['accountant'] });
    await request(app.getHttpServer()).get('/v1/reports').set(ada.headers).expect(200, { readBy: 'ada' });
  });

  it('are for accountants', () => {
    expectAccess(app)
      .of('GET /v1/reports')
      .allows({ roles: ['accountant'] })
      .denies({ roles: ['editor'] });
  });
});
