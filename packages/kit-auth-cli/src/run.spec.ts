import { describe, expect, it } from '@jest/globals';
import { kitAuth } from 'test-support';

describe('kit-auth without an application', () => {
  it.each([[], ['help'], ['--help']])('lists the commands: %j', async (...argv: string[]) => {
    const { code, stdout, stderr } = await kitAuth(argv);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Usage: kit-auth <command> [options]');
    expect(stdout).toMatch(/^ {2}secret +Prints a new random secret\.$/m);
  });

  it.each([
    ['help', 'secret'],
    ['secret', '--help'],
  ])('describes a command: %s %s', async (...argv: string[]) => {
    const { code, stdout } = await kitAuth(argv);
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: kit-auth secret [options]');
    expect(stdout).toContain('KIT_AUTH_JWT_SECRET');
    expect(stdout).toMatch(/^ {2}--json +print JSON$/m);
  });

  it('prints its version', async () => {
    expect(await kitAuth(['--version'])).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' });
  });

  it.each([
    [['secert'], 'There is no command "secert". Did you mean "secret"?'],
    [['frobnicate'], 'There is no command "frobnicate".'],
    [['secret', '--jsn'], 'There is no option --jsn. Did you mean --json?'],
    [['secret', '--json=yes'], 'The option --json takes no value.'],
    [['secret', '--module'], 'The option --module needs a value: --module=<file#Export>'],
    [['secret', 'now'], 'Too many arguments. Usage: kit-auth secret [options]'],
  ])('exits with 2 for %j', async (argv, message) => {
    const { code, stdout, stderr } = await kitAuth(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/^kit-auth: /);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it('does not repeat the value of an unknown option', async () => {
    const { stderr } = await kitAuth(['secret', '--pasword=open-sesame']);
    expect(stderr).not.toContain('open-sesame');
  });
});

describe('kit-auth secret', () => {
  it('prints another secret of 48 bytes each time', async () => {
    const [one, other] = [await kitAuth(['secret']), await kitAuth(['secret'])];
    expect(one).toEqual({ code: 0, stdout: expect.stringMatching(/^[\w-]{64}\n$/), stderr: '' });
    expect(other.stdout).not.toBe(one.stdout);
  });

  it('prints JSON', async () => {
    const { stdout } = await kitAuth(['secret', '--json']);
    expect(JSON.parse(stdout)).toEqual({ secret: expect.stringMatching(/^[\w-]{64}$/) });
  });
});
