import { connect } from 'node:net';
import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ValidationPipe } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { AuthUserStatus } from 'kit-auth/typeorm';
import {
  type Answer,
  BOTH,
  EVERYWHERE,
  holdTimeouts,
  postJson,
  requestOf,
  sharedTestApp,
  testApp,
  until,
} from 'test-support';
import { DataSource } from 'typeorm';

const PATH = '/v1/api/auth/login';

describe.each(EVERYWHERE)('login on $platform with $provider', (where) => {
  const app = sharedTestApp({
    ...where,
    options: { login: { throttle: false } },
    configure: (nest) =>
      nest.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true })),
  });
  let queries: jest.Spied<DataSource['createQueryRunner']>;
  beforeAll(async () => {
    queries = jest.spyOn(app.get(DataSource), 'createQueryRunner');
    const password = 'right';
    await app.user({ username: 'ada', nickname: 'ADA', password });
    await app.user({ username: 'off', nickname: 'OFF', password, status: AuthUserStatus.DISABLED });
    await app.user({ username: 'odd', nickname: 'ODD', password, status: 'LOCKED' as AuthUserStatus });
  });
  beforeEach(() => {
    queries.mockClear();
  });

  const login = (body: unknown, headers?: string[]) => postJson(app.port, PATH, body, headers);

  function expectRefusal(answer: Answer, code: number, error: string): void {
    expect(answer.json).toEqual({
      statusCode: Math.trunc(code / 100),
      code,
      error,
      message: expect.any(String),
    });
    expect(answer.status).toBe(Math.trunc(code / 100));
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
  }

  it('answers with a token and the summary of the user only', async () => {
    const answer = await login({ username: 'admin', password: 'admin' });
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(answer.json).toEqual({
      token: expect.stringMatching(/^[\w.-]{40,}$/),
      user: { userId: 1, username: 'admin', nickname: 'admin', superAdmin: true },
    });
    expect(queries).toHaveBeenCalled();
    const other = await login({ username: 'ada', password: 'right' });
    expect(other.json.user).toEqual({ userId: 2, username: 'ada', nickname: 'ADA', superAdmin: false });
  });

  it.each([
    ['a wrong password', { username: 'ada', password: 'wrong' }, 40110, 'LOGIN_FAILED'],
    ['a disabled account', { username: 'off', password: 'right' }, 40111, 'USER_DISABLED'],
    ['a status that is not ENABLED', { username: 'odd', password: 'right' }, 40111, 'USER_DISABLED'],
  ])('refuses %s', async (_name, body, code, error) => {
    const answer = await login(body);
    expectRefusal(answer, code, error);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="kit-auth"');
  });

  it('gives identical answers for an unknown user and a wrong password', async () => {
    const withoutDate = ({ headers, text }: Answer) => ({ headers: { ...headers, date: '' }, text });
    const unknown = await login({ username: 'nobody', password: 'x' });
    expect(withoutDate(unknown)).toEqual(withoutDate(await login({ username: 'ada', password: 'x' })));
  });

  it('does as much work for an unknown user as for a wrong password, and for a cheaper hash', async () => {
    const compare = jest.spyOn(bcrypt, 'compare');
    const workOf = async (body: object) => {
      compare.mockClear();
      await login(body);
      return compare.mock.calls.reduce((sum, [, hash]) => sum + 2 ** bcrypt.getRounds(hash), 0);
    };
    await app.user({ username: 'old', passwordHash: await bcrypt.hash('right', 4) });
    for (const username of ['nobody', 'ada', 'off', 'old', 'x'.repeat(300)]) {
      expect([username, await workOf({ username, password: 'wrong' })]).toEqual([username, 2 ** 10]);
    }
    compare.mockRestore();
  });

  const deep = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
  it.each([
    '',
    '[]',
    '{"username":"ada"',
    '{"username":"ada","password":"right"}x',
    '{"username":"ada"}',
    '\ufeff{}',
    deep(3000),
    '{"username":["ada"],"password":"right"}',
    '{"username":"ada","password":true}',
    '{"username":"ada","password":"\\udfff"}',
    `{"username":"ada","password":"${'x'.repeat(2_000_000)}"}`,
    '{"__proto__":{"username":"ada","password":"right"}}',
  ])('refuses the body %.60s before any row is read', async (body) => {
    expectRefusal(await login(body), 40000, 'BAD_REQUEST');
    expect(queries).not.toHaveBeenCalled();
  });

  const right = '{"username":"ada","password":"right"}';
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json, text/plain',
    'application/json; charset=utf-16',
  ])('refuses the content type %j', async (type) => {
    const body = type.includes('urlencoded') ? 'username=ada&password=right' : right;
    const answer = await app.request(PATH, {
      method: 'POST',
      headers: [`Content-Type: ${type}`],
      body,
    });
    if (where.platform === 'fastify' && type.includes('charset')) {
      expect([200, 400]).toContain(answer.status); // Fastify takes every body for UTF-8
    } else {
      expectRefusal(answer, 40000, 'BAD_REQUEST');
    }
  });

  it('refuses a body without content type, a missing body, and one that is not what it says', async () => {
    expectRefusal(await app.request(PATH, { method: 'POST', body: right }), 40000, 'BAD_REQUEST');
    expectRefusal(await app.request(PATH, { method: 'POST' }), 40000, 'BAD_REQUEST');
    const gzip = await login(right, ['Content-Encoding: gzip']);
    expect([200, 400, 415]).toContain(gzip.status);
    expectRefusal(
      await app.request(PATH, {
        method: 'POST',
        headers: ['Content-Type: application/json'],
        body: Buffer.from('{"username":"ada","password":"\ud83d\ude80"}', 'utf16le'),
      }),
      40000,
      'BAD_REQUEST',
    );
  });

  it('takes the content type in another spelling', async () => {
    const headers = ['Content-Type: APPLICATION/JSON ;charset=UTF-8'];
    expect((await app.request(PATH, { method: 'POST', headers, body: right })).status).toBe(200);
  });

  it.each(['reset', 'closed'])(
    'logs no error for a body that ends because the connection is %s',
    async (how) => {
      const ended = new Promise<void>((resolve) =>
        app.server.once('connection', (socket) => socket.once('close', () => resolve())),
      );
      const socket = connect(app.port, '127.0.0.1');
      const part = requestOf(PATH, {
        method: 'POST',
        headers: ['Content-Type: application/json', 'Content-Length: 1000'],
        body: right.slice(0, 10),
      });
      await new Promise((resolve) => socket.write(part, resolve));
      if (how === 'reset') {
        socket.resetAndDestroy();
      } else {
        socket.destroy();
      }
      await ended;
      expect((await login(right)).status).toBe(200);
      expect(app.logs.lines.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );

  it('reads only username and password', async () => {
    const answer = await login(
      `{"username":"x","username":"ada","password":"right","superAdmin":true,"status":"ENABLED","userId":1,"roles":["SUPER_ADMIN"],"deep":${deep(500)}}`,
    );
    expect(answer.json.user).toEqual({ userId: 2, username: 'ada', nickname: 'ADA', superAdmin: false });
  });

  it('never repeats input in an answer or a log', async () => {
    const password = 'hunter2-hunter2';
    const bodies = [
      { username: 'ada', password },
      { username: password, password },
      `{"username":"ada","password":"${password}`,
      `{"username":"ada","password":"${password}"x}`,
      `{"username":"ada","password":["${password}"]}`,
    ];
    for (const body of bodies) {
      expect((await login(body)).text).not.toContain('hunter2');
    }
    expect(app.logs.all()).not.toContain('hunter2');
  });

  it('ignores any token', async () => {
    const answer = await login(right, ['Authorization: Bearer nonsense']);
    expect(answer.status).toBe(200);
  });
});

describe('login in trouble', () => {
  it.each([
    ['fails', () => Promise.reject(new Error('connection lost with password hunter2'))],
    ['stays silent', () => new Promise<never>(() => undefined)],
  ])('is 503 when the database %s, and works again afterwards', async (_name, failure) => {
    const app = await testApp();
    const pass = holdTimeouts();
    const runner = jest.spyOn(app.get(DataSource).driver, 'createQueryRunner');
    const real = app.get(DataSource).driver.createQueryRunner('master');
    const query = jest.fn(failure);
    runner.mockImplementation(() => Object.assign(Object.create(real), { query }));
    const login = app.login('admin', 'admin');
    await until(() => query.mock.calls[0]);
    pass(3000);
    const answer = await login;
    expect(answer.json).toEqual({
      statusCode: 503,
      code: 50300,
      error: 'AUTH_UNAVAILABLE',
      message: expect.any(String),
    });
    expect([answer.status, answer.headers['retry-after'], answer.headers['cache-control']]).toEqual([
      503,
      '1',
      'no-store',
    ]);
    expect(app.logs.ours().filter((line) => line.startsWith('error'))).toHaveLength(1);
    runner.mockRestore();
    expect((await app.login('admin', 'admin')).status).toBe(200);
  });

  it('is 503 with Retry-After when the queue is full, and serves the rest', async () => {
    const password = { cost: 10, concurrency: 1, queue: 3 };
    const app = await testApp({ options: { password, login: { throttle: false } } });
    const token = await app.adminToken();
    let release: (matches: boolean) => void = () => undefined;
    const held = new Promise<boolean>((resolve) => (release = resolve));
    const compare = jest.spyOn(bcrypt, 'compare').mockReturnValue(held as never);
    const refused: Answer[] = [];
    const answers = Array.from({ length: 20 }, async () => {
      const answer = await app.login('admin', 'admin');
      if (answer.status === 503 && refused.push(answer) === 16) {
        release(true);
      }
      return answer.status;
    });
    expect((await Promise.all(answers)).filter((status) => status === 200)).toHaveLength(4);
    compare.mockRestore();
    for (const { json, headers } of refused) {
      expect([json.code, Number(headers['retry-after']) >= 1]).toEqual([50300, true]);
    }
    expect(await app.codeOf(token)).toBe(200);
  });
});

describe.each(BOTH)('login without a parser of bodies on %s', (platform) => {
  it('is 40000, and the log names the parser once', async () => {
    const app = await testApp({
      platform,
      nest: { bodyParser: false },
      configure: (nest) => {
        const server: { removeAllContentTypeParsers?: () => void } = nest.getHttpAdapter().getInstance();
        server.removeAllContentTypeParsers?.(); // Fastify parses JSON by itself
      },
    });
    const warnings = () => app.logs.ours().filter((line) => line.includes('parser'));
    await postJson(app.port, PATH, '', ['X-Empty: yes']);
    await app.request(PATH, { method: 'POST', body: 'a=b', headers: ['Content-Type: text/plain'] });
    expect(warnings()).toEqual([]);
    for (let i = 0; i < 2; i++) {
      const { status, json } = await app.login('admin', 'hunter2');
      expect([status, json.code]).toEqual([400, 40000]);
    }
    const parser = platform === 'express' ? "app.useBodyParser('json')" : 'fastify.addContentTypeParser(';
    expect(warnings()).toEqual([
      expect.stringMatching(/^warn \[auth\] a request to an endpoint of kit-auth /),
    ]);
    expect(warnings()[0]).toContain(parser);
    expect(warnings()[0]).not.toContain('hunter2');
  });
});
