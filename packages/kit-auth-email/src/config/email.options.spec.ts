import { describe, expect, it } from '@jest/globals';
import { kitAuthConfig } from 'kit-auth';
import { emailOptions } from './email.options.js';

const LINKS = { reset: 'https://app.example/reset#{token}', verify: 'https://app.example/verify#{token}' };

describe('the options', () => {
  it('need two links and nothing else', () => {
    const { settings, problems } = emailOptions.resolve({ links: LINKS });
    expect(problems).toEqual([]);
    expect(settings).toMatchObject({ links: LINKS, adminSetsPasswords: false, requestsPerHour: 20 });
    expect([settings.mailer, settings.loginLinks]).toEqual([undefined, false]);
  });

  it('say which link is missing', () => {
    expect(emailOptions.resolve({}).problems).toEqual([
      'kit.auth.email.links.reset is missing: the URL of your page, such as https://app.example/reset#{token}',
      'kit.auth.email.links.verify is missing: the URL of your page, such as https://app.example/verify#{token}',
    ]);
    expect(emailOptions.resolve({ links: { reset: LINKS.reset } }).problems).toHaveLength(1);
  });

  it('need a page for login links, once they are on', () => {
    const missing = [
      'kit.auth.email.links.login is missing: the URL of your page, such as https://app.example/login#{token}',
    ];
    const login = 'https://app.example/login#{token}';
    for (const loginLinks of [true, {}, { signUp: true }]) {
      expect(emailOptions.resolve({ links: LINKS, loginLinks }).problems).toEqual(missing);
      expect(emailOptions.resolve({ links: { ...LINKS, login }, loginLinks }).problems).toEqual([]);
    }
    const off = emailOptions.resolve({ links: LINKS, loginLinks: { minutes: 5 } }, { loginLinks: false });
    expect([off.problems, off.settings.loginLinks]).toEqual([[], false]);
    const on = emailOptions.resolve({ links: { ...LINKS, login }, loginLinks: true });
    expect(on.settings.loginLinks).toEqual({ minutes: 15, signUp: false });
  });

  it('say what is wrong, without the value', () => {
    const given = {
      links: { ...LINKS, invite: 'http://app.example/secret#{token}' },
      mailer: { sendMail: () => undefined },
      adminSetsPasswords: 'no',
      requestsPerHour: 0,
    };
    const { problems } = emailOptions.resolve(given);
    expect(problems).toEqual([
      'kit.auth.email.links.invite must be an https URL (http only for localhost)',
      expect.stringMatching(/^kit\.auth\.email\.mailer must be an object with the method send\(mail\)/),
      expect.stringMatching(/^kit\.auth\.email\.adminSetsPasswords must be/),
      expect.stringMatching(/^kit\.auth\.email\.requestsPerHour must be a whole number/),
    ]);
    expect(problems.join()).not.toContain('secret');
  });

  it('keep the mailer as it is', () => {
    class Sends {
      sent = 0;
      async send(): Promise<void> {
        this.sent++;
      }
    }
    const mailer = new Sends();
    const { settings } = emailOptions.resolve({ links: LINKS }, { mailer });
    expect(settings.mailer).toBe(mailer);
    expect(Object.isFrozen(mailer)).toBe(false);
  });

  it('can come from the environment, but for the mailer', () => {
    expect(emailOptions.rows.map(({ variable, isInEnvironment }) => [variable, isInEnvironment])).toEqual([
      ['KIT_AUTH_EMAIL_LINKS_RESET', true],
      ['KIT_AUTH_EMAIL_LINKS_VERIFY', true],
      ['KIT_AUTH_EMAIL_LINKS_REGISTER', true],
      ['KIT_AUTH_EMAIL_LINKS_INVITE', true],
      ['KIT_AUTH_EMAIL_LINKS_LOGIN', true],
      ['KIT_AUTH_EMAIL_MAILER', false],
      ['KIT_AUTH_EMAIL_ADMIN_SETS_PASSWORDS', true],
      ['KIT_AUTH_EMAIL_REQUESTS_PER_HOUR', true],
      ['KIT_AUTH_EMAIL_LOGIN_LINKS', true],
      ['KIT_AUTH_EMAIL_LOGIN_LINKS_MINUTES', true],
      ['KIT_AUTH_EMAIL_LOGIN_LINKS_SIGN_UP', true],
    ]);
    const variables = {
      KIT_AUTH_EMAIL_LINKS_RESET: LINKS.reset,
      KIT_AUTH_EMAIL_LINKS_VERIFY: LINKS.verify,
      KIT_AUTH_EMAIL_ADMIN_SETS_PASSWORDS: 'true',
      KIT_AUTH_EMAIL_REQUESTS_PER_HOUR: '50',
      KIT_AUTH_EMAIL_LINKS_LOGIN: 'https://app.example/login#{token}',
      KIT_AUTH_EMAIL_LOGIN_LINKS: 'true',
    };
    Object.assign(process.env, variables);
    try {
      const { email } = kitAuthConfig() as { email?: object };
      expect(emailOptions.resolve(email)).toMatchObject({
        problems: [],
        settings: {
          links: LINKS,
          adminSetsPasswords: true,
          requestsPerHour: 50,
          loginLinks: { minutes: 15, signUp: false },
        },
      });
    } finally {
      Object.keys(variables).forEach((name) => Reflect.deleteProperty(process.env, name));
    }
  });
});
