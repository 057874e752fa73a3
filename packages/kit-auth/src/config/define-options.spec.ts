import { afterEach, describe, expect, it } from '@jest/globals';
import { defineOptions, type OptionsOf, type SettingsOf } from './define-options.js';
import { kitAuthConfig } from './kit-auth.config.js';
import { kitAuthOptions } from './kit-auth.options.js';
import { choice, flag, integer, Option, switchable, text } from './option.js';

const badge = new Option<string[]>({
  default: ['none'],
  alias: 'badge-list',
  check: (value) => (Array.isArray(value) ? undefined : 'must be a list'),
  warn: (value) => (value.length > 2 ? 'is long' : undefined),
});
const made = new Option<() => number, (() => number) | undefined>({
  check: (value) => (typeof value === 'function' ? undefined : 'must be a function'),
});
const demo = defineOptions(
  'kit.auth.demo',
  {
    isOn: flag({ default: false }),
    days: integer({ min: 1, max: 9, default: () => 3 }),
    limit: integer({ min: 1, max: 9 }),
    name: text({ check: (value) => (value.length > 5 ? 'must be short' : undefined) }),
    mode: choice(['fast', 'safe'], { default: 'safe' }),
    badge,
    made,
    inner: { extra: switchable({ maxSize: integer({ min: 0, max: 9, default: 1 }) }) },
    bonus: switchable({ points: integer({ min: 0, max: 9, default: 2 }) }, { default: false }),
  },
  {
    problems: ({ mode, limit }) =>
      mode === 'fast' && limit === undefined ? ["limit is missing: mode 'fast' needs it"] : [],
    warnings: ({ isOn }) => (isOn === true ? ['isOn is risky'] : []),
  },
);
const DEFAULTS = {
  isOn: false,
  days: 3,
  limit: undefined,
  name: undefined,
  mode: 'safe',
  badge: ['none'],
  made: undefined,
  inner: { extra: { maxSize: 1 } },
  bonus: false,
};

/** Compiles only if the two types are the same. */
const same = <A, B>(
  ...differences: (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? [] : [never]
) => differences.length === 0;

const before = { ...process.env };
afterEach(() => {
  process.env = { ...before };
});

describe('defineOptions', () => {
  it('gives the types of options and settings', () => {
    type Options = OptionsOf<typeof demo>;
    type Settings = SettingsOf<typeof demo>;
    expect([
      same<Options['days'], number | undefined>(),
      same<Options['mode'], 'fast' | 'safe' | undefined>(),
      same<NonNullable<Options['inner']>['extra'], boolean | { maxSize?: number | undefined } | undefined>(),
      same<Settings['days'], number>(),
      same<Settings['limit'], number | undefined>(),
      same<Settings['name'], string | undefined>(),
      same<Settings['inner']['extra'], false | { readonly maxSize: number }>(),
    ]).toHaveLength(7);
  });

  it('completes options with their defaults, and freezes them', () => {
    const given = { days: 5, inner: { extra: true }, mode: undefined };
    const { settings, problems, warnings } = demo.resolve(undefined, given);
    expect([problems, warnings]).toEqual([[], []]);
    expect(settings).toEqual({ ...DEFAULTS, days: 5 });
    for (const part of [settings, settings.badge, settings.inner, settings.inner.extra]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    expect(demo.resolve({ inner: { extra: false } }).settings.inner.extra).toBe(false);
  });

  it('leaves a group off that is off by default, until it is switched on', () => {
    const bonusOf = (bonus?: unknown) => demo.resolve({ bonus }).settings.bonus;
    expect([undefined, false].map(bonusOf)).toEqual([false, false]);
    expect([true, {}, { points: 3 }].map(bonusOf)).toEqual([{ points: 2 }, { points: 2 }, { points: 3 }]);
    process.env['KIT_AUTH_DEMO_BONUS'] = 'true';
    expect(demo.resolve((kitAuthConfig() as { demo?: unknown }).demo).settings.bonus).toEqual({ points: 2 });
  });

  it('lets a later source override an earlier one, key by key', () => {
    const { settings } = demo.resolve({ days: 5, limit: 2 }, { days: 6, limit: undefined });
    expect(settings).toMatchObject({ days: 6, limit: 2 });
  });

  it('keeps objects and functions as they are', () => {
    const keep = () => 1;
    expect(demo.resolve({ made: keep }).settings.made).toBe(keep);
  });

  it('names all problems, shows no value, and falls back to the defaults', () => {
    const wrong = { isOn: 'yes', days: 10, name: 'hunter2', mode: 'slow', badge: 'x', made: 1 };
    const { settings, problems } = demo.resolve({ ...wrong, limit: 4, inner: { extra: 'on' } });
    expect(problems).toEqual([
      'kit.auth.demo.isOn must be the boolean true or false',
      'kit.auth.demo.days must be a whole number from 1 to 9',
      'kit.auth.demo.name must be short',
      "kit.auth.demo.mode must be 'fast' or 'safe'",
      'kit.auth.demo.badge-list (badge) must be a list',
      'kit.auth.demo.made must be a function',
      'kit.auth.demo.inner.extra must be an object or the boolean true or false',
    ]);
    expect(settings).toEqual(DEFAULTS);
  });

  it.each([[null], ['x'], [[]], [7]])('takes no %j for an object', (value) => {
    expect(demo.resolve(value).problems).toEqual(['kit.auth.demo must be an object']);
    expect(demo.resolve({ inner: value }).problems).toEqual(['kit.auth.demo.inner must be an object']);
  });

  it('joins both spellings of a list', () => {
    expect(demo.resolve({ badge: ['a'], 'badge-list': ['b'] }).settings.badge).toEqual(['a', 'b']);
    expect(demo.resolve({ 'badge-list': ['b'] }).settings.badge).toEqual(['b']);
    expect(demo.resolve({ badge: ['a'], 'badge-list': 'b' }).problems).toHaveLength(1);
  });

  it('checks what concerns several options', () => {
    expect(demo.resolve({ mode: 'fast', days: 0 }).problems).toEqual([
      'kit.auth.demo.days must be a whole number from 1 to 9',
      "kit.auth.demo.limit is missing: mode 'fast' needs it",
    ]);
  });

  it('warns of risks', () => {
    expect(demo.resolve({ isOn: true, badge: ['a', 'b', 'c'] }).warnings).toEqual([
      'kit.auth.demo.badge-list (badge) is long',
      'kit.auth.demo.isOn is risky',
    ]);
  });

  const EXTRA = 'kit.auth.demo.inner.extra';
  it.each([
    [{ dais: 1 }, 'kit.auth.demo.dais', 'kit.auth.demo.days'],
    [{ maxSize: 1 }, 'kit.auth.demo.maxSize', `${EXTRA}.maxSize`],
    [{ inner: { extra: { max_size: 1 } } }, 'kit.auth.demo.inner.extra.max_size', `${EXTRA}.maxSize`],
    [{ tokenPrefix: 'x' }, 'kit.auth.demo.tokenPrefix', 'kit.auth.tokenPrefix'],
    [{ inner: { extra: { zzz: 1 } } }, 'kit.auth.demo.inner.extra.zzz', undefined],
    [JSON.parse('{ "__proto__": { "days": 1 } }'), 'kit.auth.demo.__proto__', undefined],
  ])('does not bind %j, and says so', (options, key, meant) => {
    const { settings, warnings } = demo.resolve(options);
    expect(settings).toEqual(DEFAULTS);
    expect(warnings).toEqual([
      `${key} is not an option and is ignored${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    ]);
  });

  it('is an option of KitAuthModule, which leaves the check to the definition', () => {
    expect(kitAuthOptions.resolve({ demo: { days: 0 } })).toMatchObject({ problems: [], warnings: [] });
    expect(kitAuthOptions.resolve({ demos: {} }).warnings).toHaveLength(1);
  });

  it('provides what KitAuthModule has for the group, overridden by what its own module is given', () => {
    const { provide, useFactory, inject } = demo.provider('OWN');
    expect(provide).toBe(demo.token);
    expect(inject).toEqual([kitAuthOptions.token, 'OWN'].map((token) => ({ token, optional: true })));
    const root = kitAuthOptions.resolve({ demo: { days: 5, limit: 2 } });
    expect(useFactory(root, { days: 6 })).toMatchObject({ settings: { days: 6, limit: 2 }, problems: [] });
    expect(useFactory(undefined, undefined)).toMatchObject({ settings: DEFAULTS, problems: [] });
    const { problems } = useFactory(kitAuthOptions.resolve({ demo: 7 }));
    expect(problems).toEqual(['kit.auth.demo must be an object']);
  });

  it('reads the environment', () => {
    Object.assign(process.env, {
      KIT_AUTH_DEMO_IS_ON: 'true',
      KIT_AUTH_DEMO_DAYS: '4',
      KIT_AUTH_DEMO_NAME: '',
      KIT_AUTH_DEMO_MODE: 'fast',
      KIT_AUTH_DEMO_INNER_EXTRA_MAX_SIZE: '2',
      KIT_AUTH_DEMO_LIMIT: 'x',
    });
    const inner = { extra: { maxSize: 2 } };
    expect(kitAuthConfig()).toEqual({
      demo: { isOn: true, days: 4, name: '', mode: 'fast', limit: 'x', inner },
    });
    process.env['KIT_AUTH_DEMO_MAKE'] = 'x';
    expect(kitAuthOptions.resolve(kitAuthConfig()).warnings).toEqual([
      'the environment variable KIT_AUTH_DEMO_MAKE is ignored: there is no such option',
    ]);
    delete process.env['KIT_AUTH_DEMO_MAKE'];
    process.env['KIT_AUTH_DEMO_MADE'] = 'x';
    expect(kitAuthOptions.resolve(kitAuthConfig()).warnings).toEqual([
      'the environment variable KIT_AUTH_DEMO_MADE is ignored: this option can only be set in code',
    ]);
  });

  it('may require an option', () => {
    const required = defineOptions(
      'kit.auth.required',
      { url: text({}) },
      { problems: ({ url }) => (url === undefined ? ['url is missing'] : []) },
    );
    expect(required.resolve()).toMatchObject({
      settings: { url: undefined },
      problems: ['kit.auth.required.url is missing'],
    });
    expect(required.resolve({ url: 'x' }).problems).toEqual([]);
  });

  it('takes a name once', () => {
    expect(() => defineOptions('kit.auth.demo', {})).toThrow('kit.auth.demo are defined twice');
  });
});
