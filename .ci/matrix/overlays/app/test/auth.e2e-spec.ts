import { createHash, randomBytes } from 'node:crypto';
import { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { AuthErrorCode, AuthException, AuthManager, RouteAccessReport } from 'kit-auth';
import { AuthRole, AuthUser } from 'kit-auth/typeorm';
import { enrolFactor } from 'kit-auth-factors/testing';
import { FakeIssuer, IssuerConnections } from 'kit-auth-issuers/testing';
import { FakeProvider, ProviderConnections } from 'kit-auth-oidc/testing';
import { fakePasskey } from 'kit-auth-passkeys/testing';
import request from 'supertest';
import { DataSource } from 'typeorm';
import { adapter } from '../src/adapter';
import { AppModule } from '../src/app.module';

// bcrypt takes its time, also on a busy machine.
const TIMEOUT = 60_000;
const ADMIN = { username: 'admin', password: 'correct horse' };

describe('an application with kit-auth', () => {
  const provider = new FakeProvider();
  const issuer = new FakeIssuer({ issuer: 'https://accounts.google.com', audience: 'notes' });
  let app: INestApplication;

  beforeAll(async () => {
    const module = await Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(ProviderConnections)
      .useValue(provider)
      .overrideProvider(IssuerConnections)
      .useValue(issuer)
      .compile();
    app = module.createNestApplication(adapter());
    await app.listen(0, '127.0.0.1');
  }, TIMEOUT);

  afterAll(() => app.close());

  const call = async () => request(await app.getUrl());

  async function headersOf(credentials: object) {
    const { body } = await (await call()).post('/v1/api/auth/login').send(credentials).expect(200);
    return { Authorization: `Bearer ${body.token}` };
  }

  it(
    'refuses a request without a token',
    async () => {
      const { body, headers } = await (await call()).get('/v1/notes').expect(401);
      expect(body.code).toBe(AuthErrorCode.TOKEN_MISSING);
      expect(headers['www-authenticate']).toContain('Bearer');
    },
    TIMEOUT,
  );

  it(
    'serves a public route',
    async () => {
      await (await call()).get('/v1/notes/published').expect(200, { open: true });
    },
    TIMEOUT,
  );

  it(
    'logs in, and knows the user in handlers and services',
    async () => {
      const headers = await headersOf(ADMIN);
      await (
        await call()
      )
        .get('/v1/notes')
        .set(headers)
        .expect(200, { user: 'admin', notes: ['a note of admin'] });
    },
    TIMEOUT,
  );

  it(
    'keeps the tokens of browsers in cookies, and replaces them',
    async () => {
      const page = { 'Sec-Fetch-Site': 'same-origin' };
      const login = await (await call()).post('/v1/api/auth/login').set(page).send(ADMIN).expect(200);
      expect(login.body.token ?? login.body.refreshToken).toBeUndefined();
      const cookies = (login.get('Set-Cookie') ?? []).map((line) => line.slice(0, line.indexOf(';')));
      const asPage = { ...page, Cookie: cookies.join('; ') };
      await (await call()).get('/v1/notes').set(asPage).expect(200);
      if (cookies.length > 1) {
        const refreshed = await (await call()).post('/v1/api/auth/token/refresh').set(asPage).expect(200);
        expect(refreshed.get('Set-Cookie')).toHaveLength(2);
      }
      const hostile = { ...asPage, 'Sec-Fetch-Site': 'cross-site' };
      const { body } = await (await call()).post('/v1/api/auth/logout').set(hostile).expect(403);
      expect(body.code).toBe(AuthErrorCode.CROSS_ORIGIN);
      await (await call()).post('/v1/api/auth/logout').set(asPage).expect(204);
    },
    TIMEOUT,
  );

  it(
    'serves the administration page and its files, and says what the user may do',
    async () => {
      const { text: page } = await (await call()).get('/auth-console').expect(200);
      expect(page).toContain('<title>Notes</title>');
      const [, script] = /src="(assets\/[\w-]+\/page\.js)"/.exec(page) ?? [];
      const { headers } = await (await call()).get(`/auth-console/${script}`).expect(200);
      expect(headers['content-type']).toContain('javascript');
      const admin = await headersOf(ADMIN);
      const { body } = await (await call()).get('/v1/api/auth/console').set(admin).expect(200);
      expect(body.sections.users).toEqual(['read', 'write']);
    },
    TIMEOUT,
  );

  it(
    'answers errors in the language of the client',
    async () => {
      const german = { 'Accept-Language': 'de-AT, en;q=0.5' };
      const { body, headers } = await (await call()).get('/v1/notes').set(german).expect(401);
      expect(headers['content-language']).toBe('de');
      expect(body.text).toMatch(/Sie/);
    },
    TIMEOUT,
  );

  it(
    'manages users over HTTP, who change their passwords',
    async () => {
      const admin = await headersOf(ADMIN);
      const ada = { username: 'ada', password: 'a long enough passphrase' };
      await (await call()).post('/v1/api/auth/users').set(admin).send(ada).expect(201);

      const before = await headersOf(ada);
      const change = { currentPassword: ada.password, newPassword: 'another passphrase of Ada' };
      await (
        await call()
      )
        .post('/v1/api/auth/password')
        .set(before)
        .send({ ...change, newPassword: 'password1234' })
        .expect(400);
      await (await call()).post('/v1/api/auth/password').set(before).send(change).expect(204);
      await headersOf({ ...ada, password: change.newPassword });
    },
    TIMEOUT,
  );

  it(
    'checks the permissions of roles, which are entities',
    async () => {
      const admin = await headersOf(ADMIN);
      const dataSource = app.get(DataSource);
      const bob = { username: 'bob', password: 'the passphrase of Bob' };
      await (await call()).post('/v1/api/auth/users').set(admin).send(bob).expect(201);
      await (
        await call()
      )
        .delete('/v1/notes')
        .set(await headersOf(bob))
        .expect(403);

      const editor = await dataSource
        .getRepository(AuthRole)
        .save({ code: 'editor', name: 'Editor', permissions: ['note:*'] });
      const users = dataSource.getRepository(AuthUser);
      const user = await users.findOneByOrFail({ username: 'bob' });
      await users.save({ ...user, roles: [editor] });
      await (
        await call()
      )
        .delete('/v1/notes')
        .set(await headersOf(bob))
        .expect(200, { removed: true });
    },
    TIMEOUT,
  );

  it(
    'logs in with a passkey',
    async () => {
      const admin = await headersOf(ADMIN);
      const eve = { username: 'eve', password: 'the passphrase of Eve' };
      await (await call()).post('/v1/api/auth/users').set(admin).send(eve).expect(201);
      const headers = await headersOf(eve);
      const passkey = fakePasskey({ origin: 'https://example.com' });
      const begun = await (
        await call()
      )
        .post('/v1/api/auth/passkeys/options')
        .set(headers)
        .send({})
        .expect(200);
      const added = { ceremony: begun.body.ceremony, response: passkey.create(begun.body.options) };
      await (await call()).post('/v1/api/auth/passkeys').set(headers).send(added).expect(201);

      const { body } = await (await call()).post('/v1/api/auth/login/passkey/options').send({}).expect(200);
      const shown = { ceremony: body.ceremony, response: passkey.get(body.options) };
      const login = await (await call()).post('/v1/api/auth/login/passkey').send(shown).expect(200);
      expect(login.body.user.username).toBe('eve');
    },
    TIMEOUT,
  );

  it(
    'logs in with a provider',
    async () => {
      const verifier = randomBytes(32).toString('base64url');
      const challenge = createHash('sha256').update(verifier).digest('base64url');
      const start = await (
        await call()
      )
        .get('/v1/api/auth/oidc/google/start')
        .query({ challenge })
        .expect(302);
      const callback = provider.logIn(start.headers.location, { sub: '4711', email: 'frank@example.com' });
      const cookies = [start.headers['set-cookie']].flat().map((line) => line.split(';')[0]);
      const end = await (await call()).get(callback).set('Cookie', cookies).expect(302);
      const token = new URLSearchParams(end.headers.location.split('#')[1]).get('token');
      const login = await (
        await call()
      )
        .post('/v1/api/auth/oidc/complete')
        .send({ token, verifier })
        .expect(200);
      expect(login.body.user.username).toBe('frank@example.com');
    },
    TIMEOUT,
  );

  it(
    'accepts tokens of another issuer',
    async () => {
      const headers = (sub: string) => ({ Authorization: `Bearer ${issuer.token({ sub })}` });
      const { body } = await (await call()).get('/v1/api/auth/me').set(headers('4711')).expect(200);
      expect(body.username).toBe('frank@example.com');
      const unknown = await (await call()).get('/v1/api/auth/me').set(headers('4712')).expect(401);
      expect(unknown.body.reason).toBe('unknown-user');
    },
    TIMEOUT,
  );

  it(
    'asks for a second factor, and takes API keys',
    async () => {
      const admin = await app
        .get(DataSource)
        .getRepository(AuthUser)
        .findOneByOrFail({ username: ADMIN.username });
      const headers = await headersOf(ADMIN);
      const wanted = { name: 'Script', abilities: ['note:delete'] };
      const { body } = await (await call()).post('/v1/api/auth/keys').set(headers).send(wanted).expect(201);
      const script = { Authorization: `Bearer ${body.key}` };
      await (await call()).delete('/v1/notes').set(script).expect(200, { removed: true });
      const refused = await (await call()).get('/v1/notes').set(script).expect(403);
      expect(refused.body.code).toBe(AuthErrorCode.KEY_NOT_ALLOWED);

      const factor = await enrolFactor(app, admin.id);
      const first = await (await call()).post('/v1/api/auth/login').send(ADMIN).expect(401);
      expect(first.body.code).toBe(AuthErrorCode.SECOND_FACTOR_REQUIRED);
      const second = { challenge: first.body.challenge, factor: 'totp', code: await factor.code() };
      const login = await (await call()).post('/v1/api/auth/login/factor').send(second).expect(200);
      expect(login.body.user.username).toBe('admin');
    },
    TIMEOUT,
  );

  it(
    'finds providers and recognises exceptions by their classes',
    async () => {
      const attempt = app.get(AuthManager).login('admin', 'wrong');
      await expect(attempt).rejects.toBeInstanceOf(AuthException);
      const routes = app.get(RouteAccessReport).routes();
      expect(routes.find(({ path }) => path === '/v1/notes/published')?.decision).toContain('open');
    },
    TIMEOUT,
  );
});
