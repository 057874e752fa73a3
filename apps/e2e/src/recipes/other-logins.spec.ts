import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Global, Module } from '@nestjs/common';
import { EVERYWHERE, freezeDate, PASSWORD, sweepOf } from 'test-support';
import { OWN_PAGE, sentBack } from '../browser/app.js';
import { codeOf, FactorsApp, outcomeOf } from '../factors/app.js';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { ACME, AcmeIdentity, AcmeLoginModule, type AcmeOptions } from './acme-login.module.js';
import { CAPTCHA, CaptchaModule, type CaptchaOptions } from './captcha.module.js';
import { TermsModule } from './terms.module.js';

/** The provider, and the service for captchas. A code is good once, for the verifier `v-<code>`. */
class Services {
  private readonly used = new Set<string>();
  private readonly server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const answer = this.answer(
        String(request.url),
        new URLSearchParams(body),
        request.headers.authorization,
      );
      response.statusCode = answer === undefined ? 400 : 200;
      response.end(JSON.stringify(answer ?? { error: 'invalid_grant' }));
    });
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  close(): void {
    this.server.close();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private answer(path: string, form: URLSearchParams, authorization?: string): object | undefined {
    switch (path) {
      case '/captcha':
        return { success: form.get('secret') === 'captcha-secret' && form.get('response') === 'solved' };
      case '/userinfo':
        return { sub: authorization?.split('-')[1], name: 'Ada' };
      case '/token': {
        const code = String(form.get('code'));
        const isRight =
          form.get('code_verifier') === `v-${code}` && form.get('client_secret') === 'acme-secret';
        const isFirst = isRight && !this.used.has(code);
        this.used.add(code);
        return isFirst ? { access_token: `token-${code.split('.')[0]}` } : undefined;
      }
      default:
        return undefined;
    }
  }
}

const services = new Services();
const acme = {
  get url() {
    return services.url;
  },
  client_id: 'app',
  client_secret: 'acme-secret',
  redirect_uri: 'https://app.example/acme',
} satisfies AcmeOptions;
const captcha = {
  get url() {
    return `${services.url}/captcha`;
  },
  secret: 'captcha-secret',
} satisfies CaptchaOptions;

@Global()
@Module({
  providers: [
    { provide: ACME, useValue: acme },
    { provide: CAPTCHA, useValue: captcha },
  ],
  exports: [ACME, CAPTCHA],
})
class ServicesModule {}

/** Makes each code another one. */
let codes = 0;

const MODULES = [ServicesModule, AcmeLoginModule, TermsModule, CaptchaModule];

beforeAll(() => services.start());
afterAll(() => services.close());

describe.each(sweepOf(EVERYWHERE, EVERYWHERE.slice(-1)))(
  'a provider, terms, a captcha and TOTP on $platform with $provider',
  (where) => {
    const app = new FactorsApp({ ...where, imports: MODULES, trustProxy: true });
    let time = 1_900_000_000_000;

    beforeAll(async () => {
      await app.start();
    });
    beforeEach(() => {
      freezeDate((time += 60_000));
    });

    const withAcme = (subject: string, code = `${subject}.${codes++}`) =>
      app.call(undefined, 'POST', 'login/acme', { code, verifier: `v-${code}` });
    const accept = (challenge: unknown) => app.call(undefined, 'POST', 'login/terms', { challenge });
    const withPassword = (username: string, more: object = { captcha: 'solved' }) =>
      app.call(undefined, 'POST', 'login', { username, password: PASSWORD, ...more });

    it('creates an account without a password at the first login, and finds it again', async () => {
      const first = await withAcme('s1');
      expect([first.status, first.json]).toMatchObject([403, { code: 40350, error: 'TERMS_NOT_ACCEPTED' }]);
      const login = await accept(first.json.challenge);
      expect(outcomeOf(login)).toBe('200');
      expect(login.json.user).toMatchObject({ username: 'acme-s1', nickname: 'Ada' });
      expect(await app.proofOf(login.json.token)).toEqual({ acme: time / 1000 });
      const again = await withAcme('s1');
      expect(outcomeOf(again)).toBe('200');
      expect(again.json.user).toEqual(login.json.user);
      expect(await app.rowsOf(AcmeIdentity).countBy({ subject: 's1' })).toBe(1);
      expect(app.heard('login').at(-1)).toMatchObject({ subject: 'acme-s1', detail: 'acme' });
      expect(outcomeOf(await withPassword('acme-s1'))).toBe('40110');
    });

    it('refuses a code that is wrong or used, and bodies that are no login', async () => {
      const code = `s2.${codes++}`;
      await withAcme('s2', code);
      expect(outcomeOf(await withAcme('s2', code))).toBe('40110');
      const stolen = { code: 's2.y', verifier: 'v-other' };
      expect(outcomeOf(await app.call(undefined, 'POST', 'login/acme', stolen))).toBe('40110');
      expect(outcomeOf(await app.call(undefined, 'POST', 'login/acme', { code: 1 }))).toBe('40000');
      expect(outcomeOf(await withAcme(''))).toBe('40110'); // an answer without the subject
      expect(outcomeOf(await accept('junk'))).toBe('40010');
    });

    it('does not tell by the captcha who logs in from an address while guesses are throttled', async () => {
      const { username: known } = await app.user();
      await accept((await withPassword(known)).json.challenge);
      const names = [known, 'nobody'];
      for (const [i, username] of names.entries()) {
        const headers = [`X-Forwarded-For: 203.0.113.${i}`];
        const json = { username, password: 'wrong', captcha: 'solved' };
        for (let guesses = 0; guesses < 6; guesses++) {
          await app.request('/v1/api/auth/login', { method: 'POST', headers, json });
        }
      }
      const without = await Promise.all(names.map((username) => app.login(username, 'wrong')));
      expect(without.map(outcomeOf)).toEqual(['40000 captcha', '40000 captcha']);
    });

    it('asks for a captcha before it compares a password, and for the second factor and the terms after it', async () => {
      const user = await app.user();
      expect(outcomeOf(await app.login(user.username))).toBe('40000 captcha');
      expect(outcomeOf(await withPassword(user.username, { captcha: ['solved'] }))).toBe('40000 captcha');
      const body = { username: user.username, password: PASSWORD, captcha: 'solved' };
      const log = () => app.call(undefined, 'POST', 'login', body);
      const stopped = await log();
      expect(outcomeOf(stopped)).toBe('40350');
      const { token } = (await accept(stopped.json.challenge)).json;
      expect(outcomeOf(await accept(stopped.json.challenge))).toBe('40010');
      const { device } = await app.enrol(token);
      freezeDate((time += 60_000));
      const second = await log();
      expect(outcomeOf(second)).toBe('40112');
      expect(outcomeOf(await app.answer(second.json.challenge, codeOf(device)))).toBe('200');
    });

    it('asks users of the provider for their second factor too', async () => {
      const first = await accept((await withAcme('s3')).json.challenge);
      const { device } = await app.enrol(first.json.token);
      freezeDate((time += 60_000));
      const stopped = await withAcme('s3');
      expect(outcomeOf(stopped)).toBe('40112');
      const login = await app.answer(stopped.json.challenge, codeOf(device));
      expect(await app.proofOf(login.json.token)).toEqual({ acme: time / 1000, totp: time / 1000 });
    });
  },
);

describe('a provider with cookies', () => {
  const app = new FactorsApp({ imports: [KitAuthBrowserModule.forRoot(), ServicesModule, AcmeLoginModule] });

  it('sets the cookies of the login', async () => {
    await app.start();
    const code = `c1.${codes++}`;
    const json = { code, verifier: `v-${code}` };
    const parts = { method: 'POST', json, headers: [OWN_PAGE] };
    const answer = await app.request('/v1/api/auth/login/acme', parts);
    expect(answer.json).not.toHaveProperty('token');
    const headers = [`Cookie: ${sentBack(answer)}`, OWN_PAGE];
    expect((await app.request('/v1/api/auth/me', { headers })).json).toMatchObject({ username: 'acme-c1' });
  });
});
