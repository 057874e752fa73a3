import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, type INestApplication, Module, Post } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KitAuthModule, RequireFresh, RequirePermissions, RouteAccessReport } from 'kit-auth';
import { KitAuthFactorsModule } from 'kit-auth-factors';
import { enrolFactor } from 'kit-auth-factors/testing';
import { KitAuthKeysModule } from 'kit-auth-keys';
import { actingWithKey } from 'kit-auth-keys/testing';
import { KitAuthSessionModule } from 'kit-auth-session';
import { actingAs } from 'kit-auth-testing';
import { AuthRole, AuthUser } from 'kit-auth/typeorm';
import request from 'supertest';
import { DataSource } from 'typeorm';

@Controller('v1/payroll')
class PayrollController {
  @Get()
  @RequirePermissions('payroll:read')
  list() {
    return [];
  }

  @Post('runs')
  @RequirePermissions('payroll:write')
  @RequireFresh()
  run() {
    return { started: true };
  }
}

const PASSWORD = 'correct horse battery';

// In your application, this is your AppModule with a database for tests.
@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'better-sqlite3',
      database: ':memory:',
      autoLoadEntities: true,
      synchronize: true,
    }),
    KitAuthModule.forRoot({
      defaultAdminPassword: PASSWORD,
      password: { cost: 10 }, // the cheapest hash
      login: { throttle: false }, // wrong passwords of one test do not slow down the next
    }),
    KitAuthSessionModule,
    KitAuthFactorsModule.forRoot({ keys: ['a key of at least 32 bytes, for tests'], issuer: 'Test' }),
    KitAuthKeysModule,
  ],
  controllers: [PayrollController],
})
class AppModule {}

describe('the payroll', () => {
  let app: INestApplication;
  const server = () => request(app.getHttpServer());
  const users = () => app.get(DataSource).getRepository(AuthUser);

  beforeAll(async () => {
    const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
    app = module.createNestApplication();
    await app.init();

    const accountant = await app
      .get(DataSource)
      .getRepository(AuthRole)
      .save({ code: 'accountant', name: 'Accountant', permissions: ['payroll:*'] });
    await users().save({
      username: 'ada',
      nickname: 'Ada',
      passwordHash: 'none: this user never logs in',
      roles: [accountant],
    });
  });

  afterAll(() => app.close());

  it('is run by an accountant', async () => {
    const ada = await actingAs(app, 'ada');
    await server().post('/v1/payroll/runs').set(ada.headers).expect(201, { started: true });
  });

  it('asks for the password when the login is an hour old', async () => {
    const hourAgo = Math.floor(Date.now() / 1000) - 3600;
    const ada = await actingAs(app, 'ada', { proof: { factors: { password: hourAgo } } });
    const { body } = await server().post('/v1/payroll/runs').set(ada.headers).expect(401);
    expect(body).toMatchObject({ code: 40120, missing: ['password'] });
  });

  it('is read by a script with a key, and not run', async () => {
    const script = await actingWithKey(app, 'ada', ['payroll:read']);
    await server().get('/v1/payroll').set(script.headers).expect(200, []);
    await server().post('/v1/payroll/runs').set(script.headers).expect(403);
  });

  it('is not open by accident', () => {
    const open = app
      .get(RouteAccessReport)
      .routes()
      .filter(({ decision }) => decision.startsWith('open'))
      .map(({ method, path }) => `${method} ${path}`);
    expect(open).toEqual(['POST /v1/api/auth/login', 'POST /v1/api/auth/login/factor']);
  });

  it('needs a code after the password, where the user has a device', async () => {
    const admin = await users().findOneByOrFail({ username: 'admin' });
    const factor = await enrolFactor(app, admin.id);
    const { body } = await server()
      .post('/v1/api/auth/login')
      .send({ username: 'admin', password: PASSWORD })
      .expect(401);
    expect(body).toMatchObject({ code: 40112, factors: ['totp', 'recovery'] });

    const login = await server()
      .post('/v1/api/auth/login/factor')
      .send({ challenge: body.challenge, factor: 'totp', code: await factor.code() })
      .expect(200);
    await server().get('/v1/payroll').set('Authorization', `Bearer ${login.body.token}`).expect(200);
  });
});
