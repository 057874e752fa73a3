import { randomBytes, scryptSync } from 'node:crypto';
import { EntityManager } from '@mikro-orm/postgresql';
import type { INestApplication } from '@nestjs/common';
import request from 'supertest';
import type { App } from 'supertest/types';
import { Member } from '../src/members/member.entity';
import { startApp } from './test-app';

const PASSWORD = 'sparse meadow 38 lanterns';
const BASE = '/v1/api/auth';

describe('an application with its own members', () => {
  let app: INestApplication<App>;
  let names = 0;

  beforeAll(async () => {
    app = await startApp();
  });

  afterAll(() => app?.close());

  const http = () => request(app.getHttpServer());

  const login = (username: string, password = PASSWORD) =>
    http().post(`${BASE}/login`).send({ username, password });

  const tokenOf = async (username: string, password?: string): Promise<string> =>
    (await login(username, password).expect(200)).body.token;

  const greeting = (token: string) => http().get('/v1/members/greeting').auth(token, { type: 'bearer' });

  const create = async (fields: Partial<Member> = {}) => {
    const body = { login: `ada-${++names}`, displayName: 'Ada', password: PASSWORD, roles: [], ...fields };
    const token = await tokenOf('root', 'the first password of all');
    const answer = await http().post('/v1/members').auth(token, { type: 'bearer' }).send(body).expect(201);
    return answer.body as Member;
  };

  const hashOf = async (username: string) =>
    (await app.get(EntityManager).fork().findOneOrFail(Member, { login: username })).passwordHash;

  it('logs a member in, whose id is a text', async () => {
    const member = await create();
    const { body } = await login(member.login).expect(200);
    expect(body.user).toEqual({
      userId: member.id,
      username: member.login,
      nickname: 'Ada',
      superAdmin: false,
    });
    expect(member.id).toMatch(/^mem_[0-9a-f]{32}$/);
    await greeting(body.token).expect(200, { hello: 'Ada' });
  });

  it('refuses a wrong password, and requests without a token', async () => {
    const member = await create();
    expect((await login(member.login, 'wrong').expect(401)).body.code).toBe(40110);
    expect((await login('nobody').expect(401)).body.code).toBe(40110);
    expect((await http().get('/v1/members/greeting').expect(401)).body.code).toBe(40100);
  });

  it('lets trainers see the members, but not their hashes', async () => {
    const [member, trainer] = [await create(), await create({ roles: ['trainer'] })];
    const list = (token: string) => http().get('/v1/members').auth(token, { type: 'bearer' });
    await list(await tokenOf(member.login)).expect(403);
    const { body } = await list(await tokenOf(trainer.login)).expect(200);
    expect(body).toContainEqual(expect.objectContaining({ login: member.login }));
    expect(JSON.stringify(body)).not.toContain('argon2');
  });

  it('ends a session at logout, and lists the others', async () => {
    const { login: name } = await create();
    const [first, second] = [await tokenOf(name), await tokenOf(name)];
    await http().post(`${BASE}/logout`).auth(first, { type: 'bearer' }).expect(204);
    expect((await greeting(first).expect(401)).body.reason).toBe('logged-out');
    const { body } = await http().get(`${BASE}/sessions`).auth(second, { type: 'bearer' }).expect(200);
    expect(body).toHaveLength(1);
  });

  it('changes a password, which ends the other sessions', async () => {
    const { login: name } = await create();
    const [own, other] = [await tokenOf(name), await tokenOf(name)];
    const newPassword = 'eleven copper bicycles';
    await http()
      .post(`${BASE}/password`)
      .auth(own, { type: 'bearer' })
      .send({ currentPassword: PASSWORD, newPassword })
      .expect(204);
    expect((await greeting(other).expect(401)).body.reason).toBe('password-changed');
    await greeting(own).expect(200);
    await login(name).expect(401);
    await greeting(await tokenOf(name, newPassword)).expect(200);
  });

  it('ends the sessions of a suspended member', async () => {
    const { id, login: name } = await create();
    const token = await tokenOf(name);
    const admin = await tokenOf('root', 'the first password of all');
    await http().post(`/v1/members/${id}/suspension`).auth(admin, { type: 'bearer' }).expect(204);
    await greeting(token).expect(401);
    expect((await login(name).expect(401)).body.code).toBe(40111);
  });

  it('hashes with argon2id', async () => {
    const { login: name } = await create();
    expect(await hashOf(name)).toMatch(/^\$argon2id\$v=19\$/);
  });

  it('verifies a scrypt hash of earlier years, and renews it at login', async () => {
    const { id, login: name } = await create();
    const salt = randomBytes(8).toString('hex');
    const oldHash = `${salt}.${scryptSync(PASSWORD, salt, 32).toString('hex')}`;
    await app.get(EntityManager).fork().nativeUpdate(Member, { id }, { passwordHash: oldHash });

    await login(name, 'wrong').expect(401);
    expect(await hashOf(name)).toBe(oldHash);
    const token = await tokenOf(name);
    const renewed = await hashOf(name);
    expect(renewed).toMatch(/^\$argon2id\$/);
    await login(name, 'wrong').expect(401);
    await tokenOf(name);
    expect(await hashOf(name)).toBe(renewed);
    await greeting(token).expect(200);
  });

  it('refuses a hash of an unknown form', async () => {
    const { id, login: name } = await create();
    for (const passwordHash of ['', PASSWORD, '$argon2id$v=19$m=19456,t=2,p=1$', '$2b$10$abc']) {
      await app.get(EntityManager).fork().nativeUpdate(Member, { id }, { passwordHash });
      expect((await login(name).expect(401)).body.code).toBe(40110);
    }
  });
});
