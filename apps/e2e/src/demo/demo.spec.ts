import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { bearer, BOTH, postJson, request, requestOf, tokenOf, totpCode, until } from 'test-support';
import { readSettings } from '../../../demo/src/settings/settings.js';
import { startUpProblem } from '../../../demo/src/settings/start-up-problem.js';
import { type DemoInProcess, runDemo } from './in-process.js';
import { directory, expectRefusals, launch, startDemo } from './process.js';

/** Runs what a reader would paste into a shell. */
async function paste({ output }: DemoInProcess, env: Record<string, string> = {}): Promise<string> {
  const [, commands = ''] = output().slice(output().indexOf('Listening on')).split('\n\n');
  const { stdout } = await promisify(execFile)('bash', ['-c', commands], {
    env: { PATH: process.env['PATH'], ...env },
  });
  return stdout;
}

/** What the demo says when it does not start. */
async function problemOf(start: () => unknown): Promise<string | undefined> {
  try {
    await start();
    return undefined;
  } catch (error) {
    return startUpProblem(error);
  }
}

/** A connection that stays open, and a login whose request is being read. */
async function beginLogin(port: number) {
  const idle = connect(port, '127.0.0.1');
  idle.write('GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(idle, 'data');
  const login = connect(port, '127.0.0.1');
  let received = '';
  login.on('data', (chunk) => (received += chunk.toString()));
  const whole = requestOf('/v1/api/auth/login', {
    method: 'POST',
    headers: ['Content-Type: application/json'],
    body: '{"username":"admin","password":"admin"}',
  });
  login.write(whole.subarray(0, -5));
  await request(port, '/v1/status');
  return async () => {
    login.write(whole.subarray(-5));
    await Promise.all([once(login, 'close'), once(idle, 'close')]);
    return received;
  };
}

/** The header of a user with these roles, whom the administrator creates. */
async function loginOf(port: number, username: string, ...roles: string[]): Promise<string> {
  const user = { username, password: 'a right one 4711', roles };
  expect((await postJson(port, '/v1/api/auth/users', user, [bearer(await tokenOf(port))])).status).toBe(201);
  return bearer((await postJson(port, '/v1/api/auth/login', user)).json.token);
}

const PASTED = /"title":"First".*\[\{.*"title":"First"/s;

describe('the greeting of the demo', () => {
  it('has commands that work when pasted, until the administrator has another password', async () => {
    const username = `o'hara "\\n $HOME`; // which the shell and JSON would read
    const environment = {
      DATABASE_URL: `sqlite:${directory}/changed.sqlite`,
      KIT_AUTH_DEFAULT_ADMIN_USERNAME: username,
    };
    const demo = await runDemo(environment);
    expect(demo.output()).toContain(`Administrator: ${username}, password: admin\n`);
    expect(await paste(demo)).toMatch(PASTED);
    const login = await postJson(demo.port, '/v1/api/auth/login', { username, password: 'admin' });
    const passwords = { currentPassword: 'admin', newPassword: 'another right one 4711' };
    const changed = await postJson(demo.port, '/v1/api/auth/password', passwords, [bearer(login.json.token)]);
    expect(changed.status).toBe(204);
    await expect(paste(demo)).rejects.toThrow(/TOKEN: log in first/);
    await demo.close();

    const again = await runDemo({ ...environment, KIT_AUTH_DEFAULT_ADMIN_PASSWORD: 'hunter2!' });
    expect(again.output()).toContain('Administrator: changed since the first start');
    expect(again.output()).not.toMatch(/password: admin|as set in|hunter2/);
    await expect(paste(again)).rejects.toThrow(/ADMIN: set it to a name[^]*TOKEN: log in first/);
    await expect(paste(again, { ADMIN: username, PASSWORD: 'admin' })).rejects.toThrow(/TOKEN: log in first/);
    expect(await paste(again, { ADMIN: username, PASSWORD: passwords.newPassword })).toMatch(PASTED);
  });

  it('does not print a password that somebody chose, and its commands work with any', async () => {
    const KIT_AUTH_DEFAULT_ADMIN_PASSWORD = `hunter2!"\\'$(false)\t\u00e4`;
    const demo = await runDemo({
      DATABASE_URL: 'sqlite::memory:',
      KIT_AUTH_DEFAULT_ADMIN_USERNAME: `o'hara "\\ $HOME`,
      KIT_AUTH_DEFAULT_ADMIN_PASSWORD,
      KIT_AUTH_TOKEN_HEADER: "X-`Token'$1",
      KIT_AUTH_TOKEN_PREFIX: `Token '"$HOME" `,
    });
    expect(demo.output()).not.toContain('hunter2');
    expect(await paste(demo, { KIT_AUTH_DEFAULT_ADMIN_PASSWORD })).toMatch(PASTED);
    await expect(paste(demo)).rejects.toThrow(/KIT_AUTH_DEFAULT_ADMIN_PASSWORD: export it first/);
  });

  it('names no administrator and no login where authentication is switched off', async () => {
    const demo = await runDemo({ DATABASE_URL: 'sqlite::memory:', KIT_AUTH_ENABLED: 'false' });
    expect(demo.output()).toContain('KIT_AUTH_ENABLED is false');
    expect(demo.output()).not.toMatch(/Administrator|TOKEN/);
    expect(await paste(demo)).toBe('[]');
  });
});

describe.each(BOTH)('the demo on %s', (platform) => {
  const environment = { KIT_DEMO_PLATFORM: platform };
  let demo: DemoInProcess;
  let port: number;
  beforeAll(async () => {
    demo = await runDemo(environment, true);
    ({ port } = demo);
  });

  it('is open where it says so, and keeps notes to their author', async () => {
    const get = async (path: string, ...headers: string[]) => (await request(port, path, { headers })).status;
    for (const path of [
      '/v1/status',
      '/v1/status/database',
      '/v1/public/about',
      '/v1/notes/published',
      '/docs-json',
      '/docs/',
    ]) {
      expect([path, await get(path)]).toEqual([path, 200]);
    }
    expect(demo.output()).not.toContain('a provider for trying');
    expect(await get('/v1/api/auth/oidc')).toBe(404);
    for (const path of ['/v1/notes', '/v1/notes/1', '/v2/notes']) {
      expect([path, await get(path)]).toEqual([path, 401]);
    }
    const token = bearer(await tokenOf(port));
    const ownNotes = async () => (await request(port, '/v2/notes', { headers: [token] })).json;
    const { total } = await ownNotes();
    const created = await postJson(port, '/v1/notes', { title: 'T', text: 'x', published: true }, [token]);
    expect([created.status, created.json.authorId]).toEqual([201, 1]);
    const path = `/v1/notes/${created.json.id}`;
    const headers = ['Content-Type: application/json', token];
    const patched = await request(port, path, { method: 'PATCH', headers, body: '{"title":"U"}' });
    expect(patched.json).toMatchObject({ title: 'U', text: 'x', published: true });
    expect((await request(port, '/v1/notes/published')).json).toMatchObject([{ title: 'U' }]);
    expect((await request(port, '/v1/notes/feed')).json).toMatchObject([{ title: 'U', own: false }]);
    const own = await request(port, '/v1/notes/feed', { headers: [token] });
    expect(own.json).toMatchObject([{ title: 'U', own: true }]);
    expect(await ownNotes()).toMatchObject({ author: 'admin', total: total + 1 });
    expect((await postJson(port, '/v1/notes', { title: 1 }, [token])).status).toBe(400);
    expect(
      (await postJson(port, '/v1/notes', { title: 'a', text: '', published: null }, [token])).status,
    ).toBe(400);
    expect((await request(port, path, { method: 'PATCH', headers, body: '{"title":null}' })).status).toBe(
      400,
    );
    expect((await postJson(port, '/v1/notes', { title: 'a', text: '', authorId: 9 }, [token])).status).toBe(
      400,
    );
    expect((await request(port, path, { method: 'DELETE', headers: [token] })).status).toBe(204);
    expect((await request(port, path, { headers: [token] })).status).toBe(404);
  });

  it('has editors, who may take notes of others out of the public listing', async () => {
    const admin = bearer(await tokenOf(port));
    const { json: note } = await postJson(port, '/v1/notes', { title: 'T', text: 'x', published: true }, [
      admin,
    ]);
    const [plain, editor] = [await loginOf(port, 'plain'), await loginOf(port, 'ed', 'editor')];
    const unpublish = (token: string) =>
      request(port, `/v1/notes/${note.id}/publication`, { method: 'DELETE', headers: [token] });
    const refusal = await unpublish(plain);
    expect([refusal.status, refusal.json.missing]).toEqual([403, ['note:moderate']]);
    expect((await unpublish(editor)).status).toBe(204);
    expect((await request(port, '/v1/notes/published')).json).toEqual([]);
    expect((await unpublish(editor)).status).toBe(404);
    const { json: audit } = await request(port, '/v1/api/auth/audit?actor=plain', { headers: [admin] });
    expect(audit.items).toMatchObject([{ type: 'access-denied' }]);
  });

  it('says what it knows of a login, and what the routes to try require', async () => {
    const get = (path: string, ...headers: string[]) => request(port, `/v1/this-login${path}`, { headers });
    const anonymous = await get('');
    expect(anonymous.json).toEqual({ now: expect.any(Number), login: null });
    expect(anonymous.headers['cache-control']).toBe('no-store');
    expect((await get('', bearer('damaged'))).json).toMatchObject({ code: 40101 });
    expect((await get('/routes')).json).toMatchObject({ code: 40100 });

    const admin = bearer(await tokenOf(port));
    const known = await get('', admin, 'User-Agent: curl/8');
    const { now, login } = known.json;
    expect(known.headers['cache-control']).toBe('no-store');
    expect(login).toMatchObject({
      user: { username: 'admin', superAdmin: true, roles: ['SUPER_ADMIN'] },
      scheme: 'jwt-stateless',
      loginId: expect.any(String),
      address: '127.0.0.1',
      userAgent: 'curl/8',
    });
    expect(now - login.factors.password).toBeLessThan(60);
    expect(login.tokenExpiresAt).toBeGreaterThan(now);

    const reader = await loginOf(port, 'reader', 'member');
    const metBy = async (token: string) => {
      const { routes } = (await get('/routes', token)).json;
      return Object.fromEntries(
        routes.map(({ path, decision, requires }: any) => [
          path,
          [decision, ...requires.map((required: any) => required.isMet ?? required.kind)],
        ]),
      );
    };
    expect(await metBy(admin)).toMatchObject({
      '/v1/notes/moderation': ['token', true],
      '/v1/notes/review': ['token', true, 'policy'],
    });
    expect(await metBy(reader)).toEqual({
      '/v1/notes': ['token', true],
      '/v1/notes/export': ['token', true, 'fresh'],
      '/v1/notes/feed': ['open by @OptionalUser'],
      '/v1/notes/moderation': ['token', false],
      '/v1/notes/published': ['open by @Public'],
      '/v1/notes/review': ['token', false, 'policy'],
      '/v1/public/about': ['open by white-list'],
      '/v1/status': ['open by @Public'],
      '/v1/status/database': ['open by @Public'],
      '/v1/this-login': ['open by @Public'],
      '/v2/notes': ['token', true],
    });
  });

  it('lets editors review what is public, unless they give out the roles', async () => {
    const admin = bearer(await tokenOf(port));
    const editor = await loginOf(port, 'reviewer', 'editor');
    const review = async (token: string) => request(port, '/v1/notes/review', { headers: [token] });
    expect((await review(editor)).status).toBe(200);
    expect((await review(admin)).json).toMatchObject({ code: 40300, missing: ['SeparationOfDuties'] });
  });

  it('refuses what no database could take', async () => {
    await expectRefusals(port);
  });

  it('tells Swagger UI how to log in and what a token is for', async () => {
    const { json } = await request(port, '/docs-json');
    expect(json.components.securitySchemes.bearer).toMatchObject({ type: 'http', scheme: 'bearer' });
    expect(json.paths['/v1/api/auth/login'].post.requestBody.content['application/json'].example).toEqual({
      username: 'admin',
      password: 'admin',
    });
    expect(json.paths['/v1/api/auth/me'].get.security).toEqual([{ bearer: [] }, { cookie: [] }]);
    for (const security of [
      json.paths['/v1/notes'].get.security,
      json.paths['/v1/notes/{id}/publication'].delete.security,
    ]) {
      expect(security).toEqual([{ bearer: [] }, { cookie: [] }, { 'api-key': [] }]);
    }
    for (const open of ['/v1/notes/published', '/v1/status', '/v1/public/about']) {
      expect(json.paths[open].get.security).toEqual([]);
    }
    expect(json.paths['/v1/notes/feed'].get.security).toEqual([{}, { bearer: [] }, { cookie: [] }]);
  });

  it('prints the link to register, which leads to its own page and works once', async () => {
    expect(demo.output()).toContain('Mails are printed here');
    const asked = await postJson(port, '/v1/api/auth/register', { email: 'Ann@example.com' });
    expect([asked.status, asked.text]).toEqual([202, '']);
    const mail = /mail register to Ann@example\.com: (\S+#register=(\S+))/;
    const [, link = '', token = ''] = await until(() => mail.exec(demo.output()) ?? undefined);
    expect(link).toBe(`http://localhost:${port}/#register=${token}`);
    const complete = () =>
      postJson(port, '/v1/api/auth/register/complete', { token, password: 'a right one 4711' });
    const login = await complete();
    expect([login.status, login.json.user.username]).toEqual([200, 'ann@example.com']);
    expect((await request(port, '/v1/notes', { headers: [bearer(login.json.token)] })).json).toEqual([]);
    expect((await complete()).json).toMatchObject({ code: 40010 });
  });

  it('answers the requests that are on their way before it ends', async () => {
    const { port, close } = await runDemo(environment);
    const finish = await beginLogin(port);
    const closed = close();
    expect(await finish()).toMatch(/^HTTP\/1\.1 200 [^]*"token":/);
    await closed;
  });
});

it('answers the requests that are on their way, and ends, when it is told to stop', async () => {
  const demo = await startDemo({ DATABASE_URL: 'sqlite::memory:' });
  const finish = await beginLogin(demo.port);
  demo.process.kill('SIGTERM');
  const exit = once(demo.process, 'exit');
  expect(await finish()).toMatch(/^HTTP\/1\.1 200 [^]*"token":/);
  await exit;
});

it('runs with sessions in its database, and finds them again after a restart', async () => {
  const own = {
    KIT_DEMO_PLATFORM: 'fastify',
    KIT_DEMO_PROVIDER: 'session',
    DATABASE_URL: `sqlite:${directory}/sessions.sqlite`,
  };
  const first = await runDemo(own);
  expect(await paste(first)).toContain('"title":"First"');
  const token = bearer(await tokenOf(first.port));
  await first.close();
  const second = await runDemo(own);
  expect((await request(second.port, '/v1/notes', { headers: [token] })).json).toMatchObject([
    { title: 'First' },
  ]);
  expect(second.output()).toContain('using authentication implementation: session-token');
});

it('keeps the key of second factors beside its SQLite file', async () => {
  const home = join(directory, 'second-factors');
  const own = { DATABASE_URL: `sqlite:${home}/demo.sqlite` };
  const first = await runDemo(own);
  const headers = [bearer(await tokenOf(first.port))];
  const post = async (demo: DemoInProcess, path: string, body: object) =>
    (await postJson(demo.port, `/v1/api/auth/${path}`, body, headers)).json;
  const { id, secret } = await post(first, 'factors/totp', { name: 'My phone' });
  const confirmed = await post(first, `factors/totp/${id}/confirm`, { code: totpCode(secret) });
  expect(confirmed.recoveryCodes).toHaveLength(10);
  await first.close();
  expect(statSync(join(home, 'factors.key')).mode & 0o777).toBe(0o600);
  const second = await runDemo(own);
  const { code, challenge } = await post(second, 'login', { username: 'admin', password: 'admin' });
  expect(code).toBe(40112);
  const form = { challenge, factor: 'totp', code: totpCode(secret, Date.now() + 30_000) };
  expect((await post(second, 'login/factor', form)).token).toEqual(expect.any(String));
});

it('links to where users see the demo', async () => {
  const demo = await runDemo({ KIT_DEMO_URL: 'https://demo.example/x' });
  await postJson(demo.port, '/v1/api/auth/register', { email: 'ann@example.com' });
  await until(() => /: https:\/\/demo\.example\/#register=kato_/.exec(demo.output()) ?? undefined);
});

describe('the provider of the demo', () => {
  it.each<[Record<string, string>, unknown]>([
    [{}, { port: undefined }],
    [{ KIT_DEMO_OIDC_PORT: '4000', KIT_DEMO_URL: 'http://localhost:8080' }, { port: 4000 }],
    [{ KIT_DEMO_OIDC_PORT: 'off' }, undefined],
    [{ HOST: '0.0.0.0' }, undefined],
    [{ KIT_DEMO_URL: 'https://demo.example' }, undefined],
    [
      {
        NODE_ENV: 'production',
        SMTP_URL: 'smtp://x',
        KIT_DEMO_URL: 'http://localhost',
        KIT_AUTH_FACTORS_KEYS: 'k'.repeat(32),
      },
      undefined,
    ],
  ])('runs only where nobody else can reach it: %j', (environment, expected) => {
    expect(readSettings(environment, 'sqlite::memory:').demoProvider).toEqual(expected);
  });

  it('says nothing, keeps to itself, and ends with the demo, however that ends', async () => {
    const demo = await startDemo({ DATABASE_URL: 'sqlite::memory:' });
    const [, providerUrl = ''] = /a provider for trying, at (http:\/\/localhost:\d+)/.exec(demo.output())!;
    expect(demo.output()).not.toMatch(/oidc-provider|development|quick start/);
    const { paths } = (await request(demo.port, '/docs-json')).json;
    expect(Object.keys(paths).filter((path) => path.startsWith('/v1/api/auth/'))).toHaveLength(67);
    const discovery = () => fetch(`${providerUrl}/.well-known/openid-configuration`);
    expect(await (await discovery()).json()).toMatchObject({ issuer: providerUrl });
    demo.process.kill('SIGKILL');
    await once(demo.process, 'exit');
    const isGone = () =>
      discovery().then(
        () => false,
        () => true,
      );
    while (!(await isGone()));
  });

  it('names its port if that is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const starting = runDemo({ KIT_DEMO_OIDC_PORT: String(port) });
    expect(await problemOf(() => starting)).toBe(
      'the port of the demo provider is in use; set KIT_DEMO_OIDC_PORT to another, or to off',
    );
    server.close();
  });
});

describe('the demo that cannot start', () => {
  it.each<[Record<string, string>, RegExp]>([
    [{ HOST: 'no such host' }, /HOST/],
    [{ DATABASE_URL: 'postgres://x@127.0.0.1:1/x' }, /DATABASE_URL refuses the connection/],
    [{ DATABASE_URL: 'mysql://x@127.0.0.1:1/x' }, /DATABASE_URL refuses the connection/],
    // Below a file.
    [{ DATABASE_URL: `sqlite:${process.execPath}/x/demo.sqlite` }, /SQLite file in DATABASE_URL.*ENOTDIR/],
    [{ DATABASE_URL: `sqlite:${directory}` }, /SQLite file of DATABASE_URL cannot be used/],
    [
      { KIT_AUTH_ENABLED: 'yes', KIT_AUTH_JWT_EXPIRE_MINUTES: '12h', KIT_AUTH_WHITE_LIST: '/v1/{a}' },
      /kit\.auth\.enabled.*kit\.auth\.white-list.*kit\.auth\.jwt\.expireMinutes/,
    ],
    [{ KIT_AUTH_JWT_SECRET: 'hunter2' }, /kit\.auth\.jwt\.secret has 7 bytes/],
  ])('has one line for %j', async (environment, expected) => {
    const problem = await problemOf(() => runDemo(environment));
    expect(problem).toMatch(expected);
    expect(problem).not.toMatch(/\n|hunter2/);
  });

  it.each<[Record<string, string>, RegExp]>([
    [{ PORT: '70000' }, /PORT must be/],
    [{ KIT_DEMO_PLATFORM: 'koa' }, /KIT_DEMO_PLATFORM must be express or fastify/],
    [{ REDIS_URL: 'localhost' }, /REDIS_URL must begin with redis/],
    [{ KIT_DEMO_PROVIDER: 'x' }, /KIT_DEMO_PROVIDER must be jwt or session/],
    [{ SMTP_URL: 'https://user:hunter2@x' }, /SMTP_URL must begin with smtp:/],
    [{ SMTP_URL: 'smtp://' }, /SMTP_URL must begin with smtp:.* and name a host/],
    [{ MAIL_FROM: 'demo@example.com' }, /MAIL_FROM needs SMTP_URL/],
    [{ SMTP_URL: 'smtp://x', MAIL_FROM: 'Demo' }, /MAIL_FROM must be an address/],
    [{ SMTP_URL: 'smtp://x', MAIL_FROM: 'Demo <a@b.c>, d@e.f' }, /MAIL_FROM must be an address/],
    [{ KIT_DEMO_URL: 'http://demo.example' }, /KIT_DEMO_URL must begin with https:/],
    [{ KIT_DEMO_URL: 'demo' }, /KIT_DEMO_URL must begin with https:/],
    [{ NODE_ENV: 'production' }, /SMTP_URL and KIT_DEMO_URL must be set in production/],
    [
      { NODE_ENV: 'production', SMTP_URL: 'smtp://x', KIT_DEMO_URL: 'https://demo.example' },
      /KIT_AUTH_FACTORS_KEYS must be set in production/,
    ],
    [{ KIT_DEMO_OIDC_PORT: 'x' }, /KIT_DEMO_OIDC_PORT must be off, or a whole number/],
    [{ KIT_DEMO_OIDC_PORT: '4000', HOST: '0.0.0.0' }, /KIT_DEMO_OIDC_PORT must be off, except on localhost/],
    [{ KIT_DEMO_OIDC_PORT: '4000', KIT_DEMO_URL: 'https://demo.example' }, /OIDC_PORT must be off, except/],
    [{ DATABASE_URL: '' }, /DATABASE_URL/],
    [{ DATABASE_URL: 'oracle://x' }, /DATABASE_URL must begin with/],
    // Where the system makes no folder.
    [{ DATABASE_URL: 'sqlite:/proc/x/y/demo.sqlite' }, /SQLite file in DATABASE_URL.*\(E[A-Z]+\)/],
  ])('has one line for settings like %j', async (environment, expected) => {
    const problem = await problemOf(() => readSettings(environment, `sqlite:${directory}/demo.sqlite`));
    expect(problem).toMatch(expected);
    expect(problem).not.toMatch(/\n|hunter2/);
  });

  it('says how to mend a native module of another version of Node', async () => {
    const message = [
      "The module '/x/node_modules/better-sqlite3/build/Release/better_sqlite3.node'",
      'was compiled against a different Node.js version using',
      'NODE_MODULE_VERSION 108. This version of Node.js requires',
      'NODE_MODULE_VERSION 115. Please try re-compiling or re-installing',
      'the module (for instance, using `npm rebuild` or `npm install`).',
    ].join('\n');
    const preload = join(directory, 'no-native-modules.cjs');
    writeFileSync(
      preload,
      `const { dlopen } = process;
      process.dlopen = (...args) => {
        if (args[1].includes('sqlite')) throw new Error(${JSON.stringify(message)});
        return dlopen(...args);
      };`,
    );
    const demo = launch({ NODE_OPTIONS: `--require=${preload}` });
    const [code] = await once(demo.process, 'close');
    expect([code, demo.output()]).toEqual([
      1,
      expect.stringMatching(/^The demo could not start: .*run "npm rebuild".*`npm install`\)\.\)\n$/),
    ]);
  });

  it.each<[string, { code?: string; message: string }]>([
    [
      'does not fit the system',
      { code: 'ERR_DLOPEN_FAILED', message: '/lib/libm.so.6: version `GLIBC_2.38` not found' },
    ],
    [
      'was not built',
      { message: 'Could not locate the bindings file. Tried:\n \u2192 /x/better_sqlite3.node\n \u2192 /y' },
    ],
    [
      'has no build',
      { message: 'No native build was found for platform=linux arch=riscv64\n    loaded from: /x/bcrypt\n' },
    ],
  ])('says how to mend a native module that %s', (_name, error) => {
    expect(startUpProblem(error)).toMatch(/^[^\n]*run "npm rebuild"[^\n]*$/);
  });

  it('blames the port for what the port is refused, and for nothing else', () => {
    const denied = { code: 'EACCES', message: 'permission denied' };
    expect(startUpProblem({ ...denied, syscall: 'listen' })).toContain('PORT');
    expect(startUpProblem({ ...denied, syscall: 'open' })).toBe('permission denied');
    expect(startUpProblem({ code: 'ETIMEDOUT', message: '' })).toBe('ETIMEDOUT');
  });

  it('names a port that is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await problemOf(() => runDemo({ PORT: String(port) }))).toBe(
      'the port is in use; set PORT to another',
    );
    server.close();
  });
});
