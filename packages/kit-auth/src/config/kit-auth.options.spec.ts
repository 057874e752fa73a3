import { describe, expect, it } from '@jest/globals';
import { type KitAuthOptions, kitAuthOptions } from './kit-auth.options.js';

const resolve = (options: unknown) => kitAuthOptions.resolve(options);
const resolveOptions = (options?: KitAuthOptions) => resolve(options);

describe('the options of KitAuthModule', () => {
  it('has these defaults', () => {
    const { settings, problems, warnings } = resolveOptions(undefined);
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
    expect(settings).toMatchObject({
      enabled: true,
      tokenHeader: 'Authorization',
      tokenPrefix: 'Bearer ',
      defaultAdminUsername: 'admin',
      defaultAdminPassword: 'admin',
      protect: ['/v1/**', '/v2/**'],
      whiteList: [],
      jwt: { secret: undefined, expireMinutes: 720 },
    });
  });

  it('is frozen, and does not follow what the application does with its own object later', () => {
    const whiteList = ['/v1/a'];
    const { settings } = resolveOptions({ whiteList });
    whiteList.push('/**');
    expect(settings.whiteList).toEqual(['/v1/a']);
    const { jwt, login, password } = settings;
    for (const part of [settings, settings.whiteList, jwt, password, login, login.throttle]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it('has the login throttle on, with what is given of its settings, and off where it is false', () => {
    const throttleOf = (throttle: unknown) => resolve({ login: { throttle } }).settings.login.throttle;
    const defaults = { failures: 5, addressFailures: 5, maxWaitSeconds: 900, limiter: undefined };
    for (const on of [undefined, true, {}, { failures: undefined }]) {
      expect(throttleOf(on)).toEqual(defaults);
    }
    const limiter = () => undefined;
    expect(throttleOf({ failures: 3, limiter })).toEqual({ ...defaults, failures: 3, limiter });
    expect(throttleOf(false)).toBe(false);
  });

  it('takes both spellings of the white-list, together too', () => {
    const options = { whiteList: ['/v1/a'], 'white-list': ['/v1/b'] };
    expect(resolveOptions(options)).toMatchObject({
      settings: { whiteList: ['/v1/a', '/v1/b'] },
      problems: [],
      warnings: [],
    });
  });

  const GOOD = { alg: 'EdDSA', key: 'k' };
  const BYTES = Buffer.alloc(64);
  const DAYS = ['', '2026-12-01', '2026-12-01T00:00'];
  const NO_TIMES = [...DAYS, '2026-02-30T00:00:00Z', '2026-12-01T25:00:00Z', 1e12, null];
  const bad: [key: string, values: unknown[]][] = [
    ['enabled', ['false', 'true', 0, 1, null, {}, []]],
    ['strict', ['true', 1, null]],
    ['optional', ['/v1/**', null, {}, { paths: '/**' }]],
    [
      'optional',
      [
        { paths: ['/**'], invalid: 'x' },
        { paths: ['/**'], when: true },
        { paths: [], wehn: () => true },
      ],
    ],
    ['extensionTimeoutMs', [99, 60_001, 1000.5, '5s', null]],
    ['access.requireDecision', ['true', 1, null]],
    ['tokenHeader', ['', ' ', 'A B', 'X:', 'X\n', 'caf\u00e9', null, 1, []]],
    ['tokenHeader', ['__proto__', 'constructor', 'toString', 'hasOwnProperty']],
    ['tokenHeader', ['set-cookie', 'Cookie', 'Host', 'Content-Length']],
    ['tokenPrefix', [null, 1, ' ', ' Bearer', 'Bearer\t', 'Bearer\n', 'B\u00e9', {}]],
    ['defaultAdminUsername', ['', ' ', '\t\n', null, 1, 'a\nb', 'a\0', 'x'.repeat(256), '\ud800']],
    ['defaultAdminPassword', ['', '   ', null, 1, 'x'.repeat(73), '\u20ac'.repeat(25), '\ud800']],
    [
      'jwt.secret',
      ['', ' '.repeat(40), `\ud800${'x'.repeat(40)}`, '-----BEGIN PRIVATE KEY-----\nabc', null, 1, {}, BYTES],
    ],
    [
      'jwt.keys',
      [
        ...[[], {}, 'not JSON', null, [null], ['-----BEGIN PRIVATE KEY-----'], [[]]],
        ...[undefined, '', null, 7].map((key) => [{ alg: 'EdDSA', key }]),
        [{ key: 'k' }],
        ...['none', 'HS512', 'ES384', 'PS256', 'eddsa', null, ['EdDSA']].map((alg) => [{ alg, key: 'k' }]),
        [{ alg: 'HS256', key: 'k' }],
        ...['', 'a b', 'a/b', '../a', 'a'.repeat(65), '\u00e5', 7, null].map((kid) => [
          { kid, alg: 'EdDSA', key: 'k' },
        ]),
        ...[{ next: 'true' }, { nxt: true }].map((more) => [{ ...GOOD, ...more }]),
        ...NO_TIMES.map((until) => [{ alg: 'EdDSA', key: 'k', until }]),
        [GOOD, { ...GOOD, kty: 'OKP' }],
      ],
    ],
    ['jwt.issuer', ['', ' ', 7, null, 'a b', 'http://auth.example', 'urn:a', 'caf\u00e9', '\n']],
    ['jwt.audience', ['', ' ', [], [''], ['a', 7], 7, null, {}]],
    ['jwt.legacyUntil', ['', 'tomorrow', '2026-12-02', 1e12, null, '2026-13-01T00:00:00Z']],
    ['jwt.data', ['salary', null, {}, [''], [7], ['a', 'a'], ['__proto__'], ['constructor']]],
    ['jwt.jwks', ['true', 1, null, [1], [], { wellKnown: 'yes' }, { wellknown: true }]],
    ['jwt.expireMinutes', [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '720', '12h', null, 1e12, true]],
    ['jwt.checkStamp', [-1, 3601, 1.5, 'true', null]],
    ['password.minLength', [7, 65, 8.5, '8', null]],
    ['password.cost', [9, 16, 12.5, '12', null]],
    ['password.concurrency', [0, -1, 129, '2']],
    ['password.queue', [-1, 1.5, 10_001]],
    ['login.databaseTimeoutMs', [0, -1, 60_001, '1s']],
    ['login.throttle', ['false', 0, null, []]],
    ['login.throttle.failures', [0, 101, 1.5, '5', true]],
    ['login.throttle.addressFailures', [0, 1_000_001, '5', null]],
    ['login.throttle.maxWaitSeconds', [0, 86_401, '15m', Number.POSITIVE_INFINITY]],
    ['login.throttle.limiter', [null, {}, 'redis', true]],
  ];
  it('is refused somewhere, whatever the option', () => {
    const elsewhere = ['whiteList', 'protect'];
    const refused = [...bad.map(([key]) => key), ...elsewhere];
    const keys = kitAuthOptions.rows.map(({ key }) => key.replace('kit.auth.', ''));
    expect(keys.filter((key) => !refused.includes(key))).toEqual([]);
  });

  const badRows = bad.flatMap(([key, values]) => values.map((value): [string, unknown] => [key, value]));

  it.each(badRows)('names kit.auth.%s for %j, and does not show the value', (key, value) => {
    const options = key.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
    const { problems } = resolve(options);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(
      new RegExp(`^kit\\.auth\\.${key.replaceAll('.', '\\.')} must|^kit\\.auth\\.${key} names`),
    );
    if (typeof value === 'string' && value.trim().length > 5) {
      expect(problems[0]).not.toContain(value);
    }
  });

  it.each([
    ['/v1/**', 'must be a list'],
    [null, 'must be a list'],
    [{}, 'must be a list'],
    [[null], 'number 1'],
    [['/v1/ok', ''], '""'],
    [['v1/x'], '"v1/x"'],
    [['/v1/{a}'], '"/v1/{a}"'],
    [['!/v1/**'], '"!/v1/**"'],
    [['/v1/../x'], '"/v1/../x"'],
    [['/v1//x'], '"/v1//x"'],
    [['/v1/x%20y'], '"/v1/x%20y"'],
    [['/v1/x?y=z'], '"/v1/x?y=z"'],
  ])('names the pattern of the white-list %j', (whiteList, named) => {
    const { problems } = resolve({ whiteList });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('kit.auth.white-list');
    expect(problems[0]).toContain(named);
  });

  it.each<[KitAuthOptions['protect']]>([[['/**']], [['/api/**', '/admin']], ['decorated']])(
    'takes %j for protect',
    (protect) =>
      expect(resolveOptions({ protect })).toMatchObject({
        settings: { protect },
        problems: [],
        warnings: [],
      }),
  );

  it.each<[unknown, string]>([
    ...[null, true, {}, '/api/**', 'Decorated', ''].map((wrong): [unknown, string] => [
      wrong,
      "such as ['/api/**'], or 'decorated'",
    ]),
    [[], "must not be an empty list; write 'decorated'"],
    [['decorated'], 'in lower case and without a list'],
    [['/api', ' Decorated'], 'in lower case and without a list'],
    [['/api', 7], 'has an invalid pattern: number 2'],
    [['api/**'], '"api/**" does not start with "/"'],
    [['/api/{a}'], '"/api/{a}" has "{"'],
    [['!/api/**'], '"!/api/**" does not start with "/"'],
    [['/api/:id'], '"/api/:id" has ":"'],
  ])('refuses %j for protect', (protect, words) => {
    const { problems, settings } = resolve({ protect });
    expect(problems).toEqual([expect.stringMatching(/^kit\.auth\.protect /)]);
    expect(problems[0]).toContain(words);
    expect(settings.protect).toEqual(['/v1/**', '/v2/**']);
  });

  it('names a pattern of optional that is invalid', () => {
    expect(resolveOptions({ optional: ['/v1/a', '/v1/{a,b}'] }).problems).toEqual([
      expect.stringContaining('kit.auth.optional has an invalid pattern: "/v1/{a,b}"'),
    ]);
  });

  it('names what is wrong with the longer form of optional', () => {
    const problemOf = (optional: object) => resolveOptions({ optional } as KitAuthOptions).problems[0];
    expect(problemOf({})).toContain('kit.auth.optional must have as paths a list of path patterns');
    expect(problemOf({ paths: ['/v1/{a,b}'] })).toContain(
      'kit.auth.optional has an invalid pattern: "/v1/{a,b}"',
    );
    expect(problemOf({ paths: [], wehn: () => true })).toContain(
      'kit.auth.optional must have no other keys than paths, invalid and when, such as wehn',
    );
  });

  // What is bound is in define-options.spec.ts.
  it.each([
    [{ secret: 's' }, 'kit.auth.secret', 'kit.auth.jwt.secret'],
    [{ jwt: { 'white-list': ['/v1/a'] } }, 'kit.auth.jwt.white-list', 'kit.auth.whiteList'],
    [{ whitelist: ['/v1/a'] }, 'kit.auth.whitelist', 'kit.auth.whiteList'],
    [{ nonsense: 1 }, 'kit.auth.nonsense', ''],
    [{ '': { a: 1 } }, 'kit.auth. is', ''],
    [{ throttle: false }, 'kit.auth.throttle', 'kit.auth.login.throttle'],
  ])('does not bind %j, and says so', (options, key, meant) => {
    const { settings, problems, warnings } = resolve(options);
    expect([settings, problems]).toEqual([resolveOptions({}).settings, []]);
    expect(warnings).toEqual([expect.stringContaining(key)]);
    expect(warnings[0]).toContain(meant);
  });

  it('warns of a prefix that runs into the token, and of a white-list that opens everything', () => {
    expect(resolveOptions({ tokenPrefix: 'Bearer' }).warnings[0]).toContain('kit.auth.tokenPrefix');
    expect(resolveOptions({ tokenPrefix: '' }).warnings).toEqual([]);
    expect(resolveOptions({ whiteList: ['/**'] }).warnings[0]).toContain('NOTHING IS PROTECTED');
  });
});
