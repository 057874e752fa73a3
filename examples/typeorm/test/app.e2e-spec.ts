import type { INestApplication } from '@nestjs/common';
import { hash } from 'bcrypt';
import request from 'supertest';
import type { App } from 'supertest/types';
import { DataSource, In, type Repository } from 'typeorm';
import { Role } from '../src/users/role.entity';
import { User } from '../src/users/user.entity';
import { startApp } from './test-app';

const PASSWORD = 'sparse meadow 38 lanterns';
const BASE = '/v1/api/auth';

describe('an application with its own users', () => {
  let app: INestApplication<App>;
  let users: Repository<User>;
  /** As the application stored it before it used kit-auth. */
  let oldHash: string;
  let names = 0;

  beforeAll(async () => {
    app = await startApp();
    users = app.get(DataSource).getRepository(User);
    oldHash = await hash(PASSWORD, 8);
  });

  afterAll(() => app?.close());

  const http = () => request(app.getHttpServer());

  const login = (username: string, password = PASSWORD) =>
    http().post(`${BASE}/login`).send({ username, password });

  const tokenOf = async (username: string, password?: string): Promise<string> =>
    (await login(username, password).expect(200)).body.token;

  const orders = (token: string) => http().get('/orders').auth(token, { type: 'bearer' });

  const existingUser = async (...roleNames: string[]) => {
    const roles = await app
      .get(DataSource)
      .getRepository(Role)
      .findBy({ name: In(roleNames) });
    const email = `user-${++names}@example.com`;
    return users.save({ email, firstName: 'Ada', lastName: 'Lovelace', password: oldHash, roles });
  };

  const passwordOf = async (id: number) =>
    (await users.findOneOrFail({ where: { id }, select: { id: true, password: true } })).password;

  it('logs an existing user in, and renews the hash', async () => {
    const { id, email } = await existingUser();
    const { body } = await login(email).expect(200);
    expect(body.user).toEqual({ userId: id, username: email, nickname: 'Ada', superAdmin: false });
    await orders(body.token).expect(200, []);
    expect(await passwordOf(id)).toMatch(/^\$2b\$1[02]\$/);
    await login(email).expect(200);
  });

  it('refuses a wrong password, and requests without a token', async () => {
    const { email } = await existingUser();
    expect((await login(email, 'wrong').expect(401)).body.code).toBe(40110);
    expect((await login('nobody@example.com').expect(401)).body.code).toBe(40110);
    expect((await http().get('/orders').expect(401)).body.code).toBe(40100);
  });

  it('signs a user up', async () => {
    const body = { email: 'grace@example.com', firstName: 'Grace', lastName: 'Hopper', password: PASSWORD };
    await http()
      .post('/users')
      .send({ ...body, password: 'password1234' })
      .expect(400);
    await http().post('/users').send(body).expect(201);
    await http().post('/users').send(body).expect(409);
    const token = await tokenOf(body.email);
    const order = await http()
      .post('/orders')
      .auth(token, { type: 'bearer' })
      .send({ item: 'ink' })
      .expect(201);
    await orders(token).expect(200, [order.body]);
  });

  it('lets managers see all orders. New roles count from the next request on', async () => {
    const [user, admin] = [await existingUser(), await existingUser('admin')];
    const [token, adminToken] = [await tokenOf(user.email), await tokenOf(admin.email)];
    const all = () => http().get('/orders/all').auth(token, { type: 'bearer' });
    expect((await all().expect(403)).body.missing).toEqual(['manager']);
    const setRoles = (sent: string) =>
      http()
        .put(`/users/${user.id}/roles`)
        .auth(sent, { type: 'bearer' })
        .send({ roles: ['manager'] });
    await setRoles(token).expect(403);
    await setRoles(adminToken).expect(204);
    await all().expect(200);
  });

  it('changes a password, which ends the other sessions', async () => {
    const { email } = await existingUser();
    const [own, other] = [await tokenOf(email), await tokenOf(email)];
    const newPassword = 'eleven copper bicycles';
    await http()
      .post(`${BASE}/password`)
      .auth(own, { type: 'bearer' })
      .send({ currentPassword: PASSWORD, newPassword })
      .expect(204);
    expect((await orders(other).expect(401)).body.reason).toBe('password-changed');
    await orders(own).expect(200);
    await login(email).expect(401);
    await orders(await tokenOf(email, newPassword)).expect(200);
  });

  it('ends a session at logout, and those of a user who is not active', async () => {
    const { id, email } = await existingUser();
    const [first, second] = [await tokenOf(email), await tokenOf(email)];
    await http().post(`${BASE}/logout`).auth(first, { type: 'bearer' }).expect(204);
    expect((await orders(first).expect(401)).body.reason).toBe('logged-out');
    await orders(second).expect(200);
    await users.update(id, { isActive: false });
    await orders(second).expect(401);
    expect((await login(email).expect(401)).body.code).toBe(40111);
  });

  it('adds one table, and no users', async () => {
    const tables = await app
      .get(DataSource)
      .query(`select table_name as name from information_schema.tables where table_name like 'auth%'`);
    expect(tables).toEqual([{ name: 'auth_session' }]);
    expect(await users.existsBy({ email: 'admin' })).toBe(false);
  });
});
