import { afterEach, describe, expect, it } from '@jest/globals';
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
  const { NODE_ENV } = process.env;
  afterEach(() => {
    process.env['NODE_ENV'] = NODE_ENV;
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

  it.each<[string, { options?: object; environment?: string }, boolean]>([
    ['with kit.auth.strict', { options: { strict: true } }, true],
    ['in production', { environment: 'production' }, true],
    ['unless kit.auth.strict is false', { options: { strict: false }, environment: 'production' }, false],
    ['in development', {}, false],
  ])('stop start-up: %s', (_when, { options, environment = 'development' }, stops) => {
    process.env['NODE_ENV'] = environment;
    const own = { options: { ...OWN, ...options } };
    expect(() => defaults(own).check()).not.toThrow();
    expect(() => defaults(own).checkSeeded(false)).not.toThrow();
    const expectation = (run: () => void) => (stops ? expect(run) : expect(run).not);
    expectation(() => defaults({ ...own, placeholders: ['a.b'] }).check()).toThrow(
      'kit.auth.strict refuses what everybody can read in the source code. a.b is the built-in placeholder',
    );
    expectation(() => defaults(own).checkSeeded(true)).toThrow('kit.auth.strict refuses');
  });
});
