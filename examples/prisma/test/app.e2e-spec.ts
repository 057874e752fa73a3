import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import type { App } from 'supertest/types.js';
import { AppModule } from '../src/app.module.js';
import { PrismaService } from '../src/database/prisma.service.js';
import { emptyDatabase } from './empty-database.js';

const PASSWORD = 'sparse meadow 38 lanterns';

describe('an application with its own users', () => {
  let app: INestApplication<App>;
  let prisma: PrismaService;
  let names = 0;

  beforeAll(async () => {
    await emptyDatabase();
    const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
    app = await module.createNestApplication().init();
    prisma = app.get(PrismaService);
  });

  afterAll(() => app.close());

  const login = (username: string, password = PASSWORD) =>
    request(app.getHttpServer()).post('/v1/api/auth/login').send({ username, password });

  const tokenOf = async (username: string, password?: string): Promise<string> =>
    (await login(username, password).expect(200)).body.token;

  const adminToken = () => tokenOf('admin@example.com', 'the first password of all');

  const signUp = async () => {
    const email = `reader-${++names}@example.com`;
    const { body } = await request(app.getHttpServer())
      .post('/v1/users')
      .send({ email, fullName: 'Ada Lovelace', password: PASSWORD })
      .expect(201);
    return { email, id: body.id as string };
  };

  const articles = (token: string) =>
    request(app.getHttpServer()).get('/v1/articles').auth(token, { type: 'bearer' });

  it('logs a user in, whose id is a cuid', async () => {
    const { email, id } = await signUp();
    const { body } = await login(email).expect(200);
    expect(body.user).toEqual({ userId: id, username: email, nickname: 'Ada Lovelace', superAdmin: false });
    expect(id).toMatch(/^[a-z][0-9a-z]{23}$/);
    const me = await request(app.getHttpServer()).get('/v1/api/auth/me').auth(body.token, { type: 'bearer' });
    expect(me.body).toEqual(body.user);
  });

  it('refuses a wrong password, and requests without a token', async () => {
    const { email } = await signUp();
    expect((await login(email, 'wrong').expect(401)).body.code).toBe(40110);
    expect((await login('nobody@example.com').expect(401)).body.code).toBe(40110);
    expect((await request(app.getHttpServer()).get('/v1/articles').expect(401)).body.code).toBe(40100);
  });

  it('refuses a common password at sign-up', async () => {
    const body = { email: 'grace@example.com', fullName: 'Grace Hopper', password: 'password1234' };
    const answer = await request(app.getHttpServer()).post('/v1/users').send(body).expect(400);
    expect(answer.body).toMatchObject({ code: 40000, reason: 'password-common' });
  });

  it('lets editors write. New roles end the tokens with the old ones', async () => {
    const { email, id } = await signUp();
    const asReader = await tokenOf(email);
    await articles(asReader).expect(200);
    const create = (token: string) =>
      request(app.getHttpServer())
        .post('/v1/articles')
        .auth(token, { type: 'bearer' })
        .send({ title: 'Notes' });
    expect((await create(asReader).expect(403)).body.missing).toEqual(['article:write']);

    await request(app.getHttpServer())
      .put(`/v1/users/${id}/roles`)
      .auth(await adminToken(), { type: 'bearer' })
      .send({ roles: ['editor'] })
      .expect(204);
    expect((await articles(asReader).expect(401)).body).toMatchObject({ code: 40101, reason: 'revoked' });
    const { body } = await create(await tokenOf(email)).expect(201);
    expect(body).toMatchObject({ authorId: id, title: 'Notes' });
  });

  it('answers 409 for a second account with an address', async () => {
    const { email } = await signUp();
    await request(app.getHttpServer())
      .post('/v1/users')
      .send({ email, fullName: 'Ada Lovelace', password: PASSWORD })
      .expect(409);
  });

  it('lets only administrators change roles', async () => {
    const { email, id } = await signUp();
    await request(app.getHttpServer())
      .put(`/v1/users/${id}/roles`)
      .auth(await tokenOf(email), { type: 'bearer' })
      .send({ roles: ['admin'] })
      .expect(403);
  });

  it('changes a password, which ends the tokens of the user', async () => {
    const { email } = await signUp();
    const token = await tokenOf(email);
    const newPassword = 'eleven copper bicycles';
    await request(app.getHttpServer())
      .post('/v1/api/auth/password')
      .auth(token, { type: 'bearer' })
      .send({ currentPassword: PASSWORD, newPassword })
      .expect(204);
    await articles(token).expect(401);
    await login(email).expect(401);
    await articles(await tokenOf(email, newPassword)).expect(200);
  });

  it('does not let in a user who is not active', async () => {
    const { email } = await signUp();
    const token = await tokenOf(email);
    await prisma.user.update({ where: { email }, data: { active: false } });
    await articles(token).expect(401);
    expect((await login(email).expect(401)).body.code).toBe(40111);
  });

  it('keeps an audit log', async () => {
    const { email, id } = await signUp();
    await login(email, 'wrong');
    const token = await tokenOf(email);
    await request(app.getHttpServer())
      .post('/v1/api/auth/password')
      .auth(token, { type: 'bearer' })
      .send({ currentPassword: PASSWORD, newPassword: 'eleven copper bicycles', endKeys: true })
      .expect(204);
    const events = () =>
      prisma.auditEntry.findMany({
        where: { subjectId: id },
        select: { type: true, success: true },
        orderBy: { id: 'asc' },
      });
    await vi.waitFor(async () =>
      expect(await events()).toEqual([
        { type: 'login-failed', success: false },
        { type: 'login', success: true },
        { type: 'password-changed', success: true },
      ]),
    );
  });
});
