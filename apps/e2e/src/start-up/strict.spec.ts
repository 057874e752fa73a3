import { afterEach, describe, expect, it } from '@jest/globals';
import { type KitAuthOptions } from 'kit-auth';
import { KitAuthEmailModule } from 'kit-auth-email';
import { moduleOf, sharedDatabase, testApp, type TestAppOptions } from 'test-support';
import { cliOf } from '../cli/app.js';
import { LINKS, Mailbox } from '../email/app.js';
import { failure } from './failure.js';

const SECRET = { jwt: { secret: 's'.repeat(32) } };
const TEMPORARY = 'a passing one 4711';
const OVERRIDDEN: KitAuthOptions = { ...SECRET, defaultAdminPassword: 'long enough 1' };

async function newDatabase() {
  const database = sharedDatabase('sqlite');
  await database.recreate();
  return { database: database.options };
}

const warnings = async (options: TestAppOptions) =>
  (await testApp(options)).logs.ours().filter((line) => line.startsWith('warn'));

const { NODE_ENV } = process.env;
afterEach(() => {
  process.env['NODE_ENV'] = NODE_ENV;
});

// What else is refused is in packages/kit-auth/src/seeding/public.defaults.spec.ts.
describe('kit.auth.strict', () => {
  it('refuses the placeholder secret and the default password at once, and says how to mend it', async () => {
    expect(await failure({ options: { strict: true } })).toBe(
      'kit.auth.strict refuses what everybody can read in the source code. ' +
        'kit.auth.jwt.secret is the built-in placeholder. ' +
        'Set it, or KIT_AUTH_JWT_SECRET, to what "npx kit-auth secret" prints. ' +
        'kit.auth.defaultAdminPassword is the built-in default. ' +
        'Set it, or KIT_AUTH_DEFAULT_ADMIN_PASSWORD, to a password of your own.',
    );
  });

  it('refuses an administrator who still has the default password, whatever the option says', async () => {
    const existing = await newDatabase();
    await testApp(existing);
    expect(await failure({ ...existing, options: { strict: true, ...OVERRIDDEN } })).toBe(
      'kit.auth.strict refuses what everybody can read in the source code. ' +
        'The administrator still has the built-in default password. ' +
        'Change it with "npx kit-auth user password <username>".',
    );
  });

  it('starts once a command has replaced the default password, also with kit-auth-email', async () => {
    const email = KitAuthEmailModule.forRoot({ links: LINKS, mailer: new Mailbox() });
    const existing: TestAppOptions = { ...(await newDatabase()), imports: [email] };
    await (await testApp(existing)).close();
    const strict: TestAppOptions = { ...existing, options: { strict: true, ...OVERRIDDEN } };
    expect(await failure(strict)).toContain('npx kit-auth user password <username>');
    const run = cliOf(await moduleOf(strict));
    expect(await run('user password admin', [], TEMPORARY)).toMatchObject({ code: 0 });
    const app = await testApp(strict);
    const token = await app.tokenOf('admin', TEMPORARY);
    expect(await app.codeOf(token, '/v1/api/auth/sessions')).toBe(40301);
    const passwords = { currentPassword: TEMPORARY, newPassword: 'chosen by themselves' };
    expect((await app.call(token, 'POST', 'password', passwords)).status).toBe(204);
    const chosen = await app.tokenOf('admin', 'chosen by themselves');
    expect(await app.codeOf(chosen, '/v1/api/auth/sessions')).toBe(50100);
  });

  it('creates no administrator when it refuses to start', async () => {
    const existing = await newDatabase();
    await failure({ ...existing, options: { strict: true } });
    const app = await testApp({ ...existing, options: { strict: true, ...OVERRIDDEN } });
    expect(app.logs.ours()).toContain('debug [auth] default administrator account created: admin');
  });

  it('is on in production, unless it is false', async () => {
    process.env['NODE_ENV'] = 'production';
    expect(await failure({})).toContain(
      'kit.auth.strict refuses what everybody can read in the source code.',
    );
    expect(await warnings({ options: { strict: false } })).toEqual([
      expect.stringContaining('built-in default password; change it'),
      'warn [auth] built-in default JWT secret in use; override kit.auth.jwt.secret in production',
    ]);
    expect(await warnings({ options: OVERRIDDEN })).toEqual([]);
  });
});
