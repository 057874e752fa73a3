import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { AUTH_USER_STORE, KitAuthModule } from 'kit-auth';
import { type AuthMail, KitAuthEmailModule } from 'kit-auth-email';
import { describePackage, OpenApi, PASSWORD, testApp, until } from 'test-support';
import * as api from './api.js';
import * as index from './index.js';
import { KitAuthRegistrationModule } from './index.js';
import { registrationOptions } from './registration.options.js';

const mails: AuthMail[] = [];
const page = (name: string) => `https://app.example/${name}#{token}`;
const emailWith = (...pages: string[]) =>
  KitAuthEmailModule.forRoot({
    links: {
      reset: page('reset'),
      verify: page('verify'),
      ...Object.fromEntries(pages.map((name) => [name, page(name)])),
    },
    mailer: { send: async (mail) => void mails.push(mail) },
  });

/** A user store with all that the other packages need. */
@Injectable()
class KnownUsers {
  async loadLoginUser() {
    return undefined;
  }

  async stampOf() {
    return undefined;
  }

  async changePassword() {
    return false;
  }
}

@Module({ providers: [{ provide: AUTH_USER_STORE, useClass: KnownUsers }] })
class KnownUsersModule {}

afterEach(() => {
  jest.restoreAllMocks();
  mails.length = 0;
});

describePackage({
  at: import.meta.url,
  entries: { '': index, api },
  module: KitAuthRegistrationModule,
  definition: registrationOptions,
  with: [emailWith('register', 'invite')],
  options: {},
  defaults: { mode: 'open', roles: [] },
  wrong: [
    [
      { mode: 'closed', roles: 'member' },
      "kit.auth.registration.mode must be 'open' or 'invited'",
      'kit.auth.registration.roles must be a list of role codes',
    ],
    [{ mode: true }, "kit.auth.registration.mode must be 'open' or 'invited'"],
    [{ roles: [' '] }, 'kit.auth.registration.roles must be a list of role codes'],
    [{ roles: [7] }, 'kit.auth.registration.roles must be a list of role codes'],
    [{ roles: { member: true } }, 'kit.auth.registration.roles must be a list of role codes'],
  ],
  environment: [
    [
      { KIT_AUTH_REGISTRATION_MODE: 'invited', KIT_AUTH_REGISTRATION_ROLES: ' member , reader,' },
      { mode: 'invited', roles: ['member', 'reader'] },
    ],
    [{ KIT_AUTH_REGISTRATION_ROLES: '' }, { mode: 'open', roles: [] }],
  ],
  needs: {
    store: ['createUser', 'findByUsername'],
    users: KnownUsersModule,
    tables: /the table auth_(one_time|user_email) is missing/,
  },
  requests: async (app, check) => {
    const described = [...new OpenApi(app).ours].filter(([name]) => /register|invitations/.test(name));
    expect(
      described.map(([name, { security, responses }]) => [
        name,
        security.length === 0,
        Object.keys(responses).join(),
      ]),
    ).toEqual([
      ['POST register', true, '202,400,403,429,503'],
      ['POST register/complete', true, '200,400,401,409,503'],
      ['POST invitations', false, '201,400,401,403,409,501,503'],
      ['GET invitations', false, '200,401,403,503'],
      ['DELETE invitations/{id}', false, '204,401,403,404,503'],
    ]);
    jest.spyOn(Math, 'random').mockReturnValue(0); // mails leave after the shortest delay
    const tokenOf = async (kind: string) =>
      (await until(() => mails.find((mail) => mail.kind === kind))).link!.split('#')[1];
    const post = async (path: string, body: object, token?: string) =>
      check(`POST ${path}`, await app.call(token, 'POST', path, body));
    await post('register', { email: 'ada@example.com', locale: 'de' });
    await post('register', { email: 'ada' });
    const token = await tokenOf('register');
    await post('register/complete', { token, password: 'short' });
    await post('register/complete', { token, password: PASSWORD, nickname: 'Ada' });
    await post('register/complete', { token, password: PASSWORD });
    const admin = await app.adminToken();
    const invited = { email: 'bob@example.com', nickname: 'Bob', roles: ['SUPER_ADMIN'], locale: 'de' };
    const { id } = (await post('invitations', invited, admin)).json;
    await post('invitations', { ...invited, email: 'ada@example.com' }, admin);
    await post('invitations', { ...invited, roles: ['nobody'] }, admin);
    await post('invitations', invited);
    check('GET invitations', await app.call(admin, 'GET', 'invitations'));
    check('DELETE invitations/{id}', await app.call(admin, 'DELETE', `invitations/${id}`));
    check('DELETE invitations/{id}', await app.call(admin, 'DELETE', `invitations/${id}`));
  },
});

describe('start-up', () => {
  const start = (mode: 'open' | 'invited', ...imports: ReturnType<typeof emailWith>[]) =>
    testApp({ imports: [...imports, KitAuthRegistrationModule.forRoot({ mode })] });

  it('fails without KitAuthEmailModule', async () => {
    await expect(start('open')).rejects.toThrow(
      'KitAuthRegistrationModule sends links by mail: import KitAuthEmailModule.forRoot()',
    );
  });

  it('fails with roles, and a user store that knows none', async () => {
    @Injectable()
    class Users extends KnownUsers {
      async createUser() {
        return 1;
      }

      async findByUsername() {
        return undefined;
      }
    }
    @Module({ providers: [{ provide: AUTH_USER_STORE, useClass: Users }] })
    class UsersModule {}
    const startWith = (...roles: string[]) =>
      testApp({
        core: KitAuthModule.forRoot({ users: UsersModule }),
        imports: [emailWith('register', 'invite'), KitAuthRegistrationModule.forRoot({ roles })],
      });
    await startWith();
    await expect(startWith('member')).rejects.toThrow(
      'kit.auth.registration.roles needs a user store with the method grantsOf, which Users lacks',
    );
  });

  it('fails without the pages that the mode needs', async () => {
    await expect(start('open', emailWith())).rejects.toThrow(
      /kit\.auth\.email\.links\.register is missing.*kit\.auth\.email\.links\.invite is missing/,
    );
    await expect(start('invited', emailWith('register'))).rejects.toThrow(
      /^(?!.*links\.register).*kit\.auth\.email\.links\.invite is missing/,
    );
    await start('invited', emailWith('invite'));
  });
});
