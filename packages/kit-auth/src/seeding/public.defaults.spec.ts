import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { kitAuthOptions } from '../config/kit-auth.options.js';
import type { Ports } from '../ports/ports.js';
import type { ActiveUserStore } from '../users/active.user-store.js';
import { PublicDefaults } from './public.defaults.js';

const OWN = { defaultAdminPassword: 'a password of my own' };

interface Given {
  readonly options?: object;
  readonly placeholders?: readonly string[] | undefined;
  readonly hasAdministrator?: boolean;
}

function defaults({ options = OWN, placeholders, hasAdministrator = true }: Given): PublicDefaults {
  return new PublicDefaults(
    kitAuthOptions.resolve(options).settings,
    { provider: placeholders && { placeholders } } as unknown as Ports,
    { has: () => hasAdministrator } as unknown as ActiveUserStore,
  );
}

describe('public defaults', () => {
  const warn = jest.fn<(line: string) => void>();
  const { NODE_ENV } = process.env;

  beforeEach(() => {
    warn.mockClear();
    process.env['NODE_ENV'] = 'production';
    Logger.overrideLogger({ warn, log: () => undefined, error: () => undefined });
  });
  afterEach(() => {
    process.env['NODE_ENV'] = NODE_ENV;
    Logger.overrideLogger(false);
  });

  it('are placeholders of the implementation, and the password of an administrator whom the store makes', () => {
    const keys = (given: Given) =>
      defaults(given)
        .options()
        .map(({ key }) => key);
    expect(keys({})).toEqual([]);
    expect(keys({ options: {}, placeholders: ['kit.auth.jwt.secret'] })).toEqual([
      'kit.auth.jwt.secret',
      'kit.auth.defaultAdminPassword',
    ]);
    expect(keys({ options: {}, hasAdministrator: false })).toEqual([]);
  });

  it('are described with a cure', () => {
    expect(defaults({ placeholders: ['kit.auth.jwt.secret'] }).options()).toEqual([
      {
        key: 'kit.auth.jwt.secret',
        problem: 'kit.auth.jwt.secret is the built-in placeholder.',
        cure: 'Set it, or KIT_AUTH_JWT_SECRET, to what "npx kit-auth secret" prints.',
      },
    ]);
  });

  it('stop start-up with kit.auth.strict', () => {
    const strict = { options: { ...OWN, strict: true } };
    expect(() => defaults(strict).check()).not.toThrow();
    expect(() => defaults(strict).checkSeeded(false)).not.toThrow();
    expect(() => defaults({ ...strict, placeholders: ['a.b'] }).check()).toThrow(
      'a.b is the built-in placeholder',
    );
    expect(() => defaults(strict).checkSeeded(true)).toThrow('kit.auth.strict refuses');
    expect(() => defaults({ placeholders: ['a.b'] }).check()).not.toThrow();
    expect(warn).not.toHaveBeenCalled();
  });

  it.each<[string, Given, boolean, string, number]>([
    ['a placeholder', { placeholders: ['a.b'] }, false, 'production', 1],
    ['the stored password', {}, true, 'production', 1],
    ['nothing', {}, false, 'production', 0],
    ['a placeholder in development', { placeholders: ['a.b'] }, false, 'development', 0],
    [
      'a placeholder that strict: false accepts',
      { options: { ...OWN, strict: false }, placeholders: ['a.b'] },
      true,
      'production',
      0,
    ],
  ])('are warned about in production: %s', (_what, given, hasDefaultPassword, environment, times) => {
    process.env['NODE_ENV'] = environment;
    defaults(given).checkSeeded(hasDefaultPassword);
    expect(warn).toHaveBeenCalledTimes(times);
  });
});
