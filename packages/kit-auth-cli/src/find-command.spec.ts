import { describe, expect, it } from '@jest/globals';
import { builtApp, DECORATE, kitAuth } from 'test-support';

const MODULE = `
import { Module } from '@nestjs/common';
import { AUTH_COMMAND, AUTH_USER_STORE, KitAuthModule } from 'kit-auth';
import { KitAuthJwtModule } from 'kit-auth-jwt';
import { decorate } from './decorate.js';

class Users { async loadLoginUser() {} }
class UsersModule {}
decorate(UsersModule, Module({ providers: [{ provide: AUTH_USER_STORE, useClass: Users }] }));
class Reindex {
  name = 'reindex';
  usage = '<name>';
  summary = 'Builds an index.';
  options = { fast: { type: 'boolean', description: 'skip checks' } };
  async run({ args, options, output, fail }) {
    output.line(args[0] + ' ' + options.fast);
    return args[0] === 'bad' ? fail('It failed.') : args[0] === 'half' ? 1 : undefined;
  }
}
class Broken { name = 'broken'; }

export class AppModule {}
decorate(AppModule, Module({
  imports: [KitAuthModule.forRoot({ users: UsersModule }), KitAuthJwtModule],
  providers: [{ provide: AUTH_COMMAND, useClass: COMMAND }],
}));
`;

const app = (command = 'Reindex') =>
  builtApp({
    'dist/decorate.js': DECORATE,
    'dist/app.module.js': MODULE.replace('COMMAND }', `${command} }`),
  });

describe('a command of an application', () => {
  const cwd = app();

  it('runs with its arguments and options', async () => {
    expect(await kitAuth(['reindex', 'notes', '--fast'], { cwd })).toEqual({
      code: 0,
      stdout: 'notes true\n',
      stderr: '',
    });
  });

  it('decides the exit code', async () => {
    expect((await kitAuth(['reindex', 'half'], { cwd })).code).toBe(1);
    expect(await kitAuth(['reindex', 'bad'], { cwd })).toMatchObject({
      code: 1,
      stderr: 'kit-auth: It failed.\n',
    });
  });

  it.each([
    [['reindex', '--fsat'], 'There is no option --fsat. Did you mean --fast?'],
    [['reindex', 'a', 'b'], 'Too many arguments. Usage: kit-auth reindex <name> [options]'],
    [['reidnex'], 'There is no command "reidnex". Did you mean "reindex"?'],
    [['secert'], 'There is no command "secert". Did you mean "secret"?'],
  ])('is checked as those of the core: %j', async (argv, message) => {
    const { code, stdout, stderr } = await kitAuth(argv, { cwd });
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  it('has to implement the port', async () => {
    const { code, stderr } = await kitAuth(['broken'], { cwd: app('Broken') });
    expect(code).toBe(2);
    expect(stderr).toContain('Broken (of AppModule) does not implement AuthCommand: it lacks run.');
  });
});

it('tells that the application cannot be asked for a command', async () => {
  const { code, stderr } = await kitAuth(['reindex'], {
    cwd: builtApp({ 'dist/app.module.js': "throw new Error('no DATABASE_URL')" }),
  });
  expect(code).toBe(2);
  expect(stderr).toContain('kit-auth itself has no command "reindex", and the application cannot be asked.');
  expect(stderr).toContain('no DATABASE_URL');
});
