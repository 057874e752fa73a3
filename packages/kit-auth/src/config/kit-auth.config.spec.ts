import { afterEach, describe, expect, it } from '@jest/globals';
import { kitAuthConfig } from './kit-auth.config.js';
import { kitAuthOptions } from './kit-auth.options.js';

const before = { ...process.env };
afterEach(() => {
  process.env = { ...before };
});

const configOf = (environment: Record<string, string>) => {
  Object.assign(process.env, environment);
  return kitAuthConfig();
};

describe('kitAuthConfig', () => {
  it('is registered as kit.auth and empty where the environment says nothing', () => {
    expect(kitAuthConfig.KEY).toBe('CONFIGURATION(kit.auth)');
    expect(configOf({})).toEqual({});
  });

  it('reads every kind of key', () => {
    const config = configOf({
      KIT_AUTH_ENABLED: 'false',
      KIT_AUTH_TOKEN_HEADER: 'X-Token',
      KIT_AUTH_TOKEN_PREFIX: 'Token ',
      KIT_AUTH_DEFAULT_ADMIN_USERNAME: 'root',
      KIT_AUTH_DEFAULT_ADMIN_PASSWORD: 'changed',
      KIT_AUTH_WHITE_LIST: '/v1/a/**, /v1/b,',
      KIT_AUTH_JWT_SECRET: 's'.repeat(32),
      KIT_AUTH_JWT_EXPIRE_MINUTES: '60',
    });
    expect(config).toEqual({
      enabled: false,
      tokenHeader: 'X-Token',
      tokenPrefix: 'Token ',
      defaultAdminUsername: 'root',
      defaultAdminPassword: 'changed',
      whiteList: ['/v1/a/**', '/v1/b'],
      jwt: { secret: 's'.repeat(32), expireMinutes: 60 },
    });
    expect(kitAuthOptions.resolve(config)).toMatchObject({ problems: [], warnings: [], settings: config });
  });

  it.each([
    [{ KIT_AUTH_LOGIN_THROTTLE: 'false' }, false],
    [{ KIT_AUTH_LOGIN_THROTTLE: 'false', KIT_AUTH_LOGIN_THROTTLE_FAILURES: '3' }, false],
    [{ KIT_AUTH_LOGIN_THROTTLE: 'true' }, true],
    [{ KIT_AUTH_LOGIN_THROTTLE_FAILURES: '3' }, { failures: 3 }],
    [{ KIT_AUTH_LOGIN_THROTTLE_ADDRESS_FAILURES: '50' }, { addressFailures: 50 }],
    [{ KIT_AUTH_LOGIN_THROTTLE: 'true', KIT_AUTH_LOGIN_THROTTLE_FAILURES: '3' }, { failures: 3 }],
    [{ KIT_AUTH_LOGIN_THROTTLE_MAX_WAIT_SECONDS: '60' }, { maxWaitSeconds: 60 }],
  ])('reads the login throttle from %j', (environment, throttle) => {
    expect(configOf(environment)).toEqual({ login: { throttle } });
  });

  it('reads the keys of tokens from JSON', () => {
    const keys = [{ kid: '2026-11', alg: 'ES256', key: { kty: 'EC' }, until: '2027-12-01T00:00:00+01:00' }];
    const config = configOf({
      KIT_AUTH_JWT_KEYS: JSON.stringify(keys),
      KIT_AUTH_JWT_ISSUER: 'https://auth.example/',
      KIT_AUTH_JWT_AUDIENCE: 'api, shop',
      KIT_AUTH_JWT_DATA: 'tenant, locale',
      KIT_AUTH_JWT_LEGACY_UNTIL: '2999-12-01T00:00:00Z',
      KIT_AUTH_JWT_JWKS: '{"wellKnown":true}',
    });
    const { settings, problems, warnings } = kitAuthOptions.resolve(config);
    expect([problems, warnings]).toEqual([[], []]);
    expect(settings.jwt).toMatchObject({
      keys,
      issuer: 'https://auth.example/',
      audience: ['api', 'shop'],
      data: ['tenant', 'locale'],
      legacyUntil: '2999-12-01T00:00:00Z',
      jwks: { wellKnown: true },
    });
  });

  it.each([
    ['[{"kid":"a", a secret', 'must be a list of keys, and is a text that is no JSON'],
    [
      '{"kid":"a","alg":"HS256","key":"a secret text"}',
      'must be a list of keys that is not empty: [{ kid, alg, key }]',
    ],
    [
      '[{"kid":"old","alg":"HS256","key":"a secret text","nxt":true}]',
      'must have valid keys: old has the member "nxt", which is none of kid, alg, key, next, until',
    ],
  ])('refuses the keys %s without repeating them', (keys, problem) => {
    const { problems } = kitAuthOptions.resolve(configOf({ KIT_AUTH_JWT_KEYS: keys }));
    expect(problems).toEqual([`kit.auth.jwt.keys ${problem}`]);
  });

  it('warns when the time of old tokens has passed', () => {
    const { warnings } = kitAuthOptions.resolve(configOf({ KIT_AUTH_JWT_LEGACY_UNTIL: '2020-01-01T00:00Z' }));
    expect(warnings).toEqual(['kit.auth.jwt.legacyUntil has passed, so that it does nothing: remove it']);
  });

  it.each([
    ['decorated', 'decorated'],
    [' decorated ', 'decorated'],
    ['/api/**', ['/api/**']],
    ['/api/**, /admin/**,', ['/api/**', '/admin/**']],
  ])('reads kit.auth.protect from %j', (text, protect) => {
    const config = configOf({ KIT_AUTH_PROTECT: text });
    expect(kitAuthOptions.resolve(config)).toMatchObject({ problems: [], settings: { protect } });
  });

  it.each([
    ['true', true],
    ['false', false],
    ['60', 60],
  ])('reads kit.auth.jwt.checkStamp from %j', (text, checkStamp) => {
    const config = configOf({ KIT_AUTH_JWT_CHECK_STAMP: text });
    expect(kitAuthOptions.resolve(config)).toMatchObject({ problems: [], settings: { jwt: { checkStamp } } });
  });

  it.each([
    ['KIT_AUTH_JWT_CHECK_STAMP', 'yes', 'kit.auth.jwt.checkStamp'],
    ['KIT_AUTH_LOGIN_THROTTLE', 'off', 'kit.auth.login.throttle must'],
    ['KIT_AUTH_LOGIN_THROTTLE_FAILURES', 'many', 'kit.auth.login.throttle.failures'],
    ['KIT_AUTH_ENABLED', 'yes', 'kit.auth.enabled'],
    ['KIT_AUTH_ENABLED', '', 'kit.auth.enabled'],
    ['KIT_AUTH_JWT_EXPIRE_MINUTES', '12h', 'kit.auth.jwt.expireMinutes'],
    ['KIT_AUTH_JWT_EXPIRE_MINUTES', '', 'kit.auth.jwt.expireMinutes'],
    ['KIT_AUTH_JWT_EXPIRE_MINUTES', '1e3', 'kit.auth.jwt.expireMinutes'],
    ['KIT_AUTH_JWT_EXPIRE_MINUTES', '-5', 'kit.auth.jwt.expireMinutes'],
    ['KIT_AUTH_JWT_SECRET', '', 'kit.auth.jwt.secret'],
    ['KIT_AUTH_DEFAULT_ADMIN_PASSWORD', '', 'kit.auth.defaultAdminPassword'],
    ['KIT_AUTH_WHITE_LIST', 'v1/a', 'kit.auth.white-list'],
    ['KIT_AUTH_PROTECT', '', 'kit.auth.protect must not be an empty list'],
    ['KIT_AUTH_PROTECT', 'Decorated', "kit.auth.protect must be 'decorated' in lower case"],
    ['KIT_AUTH_PROTECT', 'api/**', 'kit.auth.protect'],
  ])('%s=%s makes start-up name %s', (name, value, key) => {
    const { problems } = kitAuthOptions.resolve(configOf({ [name]: value }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(key);
  });

  it.each([
    ['KIT_AUTH_TOKEN_HEADR', 'KIT_AUTH_TOKEN_HEADER'],
    ['KIT_AUTH_SECRET', 'KIT_AUTH_JWT_SECRET'],
    ['KIT_AUTH_JWT_SECRET_FILE', 'KIT_AUTH_JWT_SECRET'],
    ['KIT_AUTH_ADMIN_PASSWORD', 'KIT_AUTH_DEFAULT_ADMIN_PASSWORD'],
    ['KIT_AUTH_WHITELIST', 'KIT_AUTH_WHITE_LIST'],
    ['KIT_AUTH_COST', 'KIT_AUTH_PASSWORD_COST'],
    ['kit_auth_jwt_secret', 'KIT_AUTH_JWT_SECRET'],
    ['KIT_AUTH_PORT', undefined],
    ['KIT_AUTH_', undefined],
  ])('has start-up name %s, which is no option, and suggest %s', (name, meant) => {
    // As an application passes the options on that adds some of its own.
    const config = { ...configOf({ [name]: 'hunter2', KIT_AUTH_PASSWORD_QUEUE: '9' }), tokenHeader: 'X' };
    expect(kitAuthOptions.resolve(config)).toMatchObject({
      problems: [],
      warnings: [
        `the environment variable ${name} is ignored: there is no such option` +
          (meant === undefined ? '' : `; did you mean ${meant}?`),
      ],
      settings: { tokenHeader: 'X', password: { queue: 9 } },
    });
  });

  it('has start-up say which option the environment cannot give', () => {
    const config = configOf({ KIT_AUTH_LOGIN_THROTTLE_LIMITER: 'redis', KIT_AUTH_LOGIN_THROTTLE: 'true' });
    expect(config.login).toEqual({ throttle: true });
    expect(kitAuthOptions.resolve(config).warnings).toEqual([
      'the environment variable KIT_AUTH_LOGIN_THROTTLE_LIMITER is ignored: this option can only be set in code',
    ]);
  });

  it('names no variable of others', () => {
    const config = configOf({ KIT_AUTHOR: 'x', MY_KIT_AUTH_ENABLED: 'x' });
    expect(kitAuthOptions.resolve(config).warnings).toEqual([]);
  });

  it('has one name for every option', () => {
    const names = kitAuthOptions.rows.map(({ variable }) => variable);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('KIT_AUTH_LOGIN_DATABASE_TIMEOUT_MS');
  });
});
