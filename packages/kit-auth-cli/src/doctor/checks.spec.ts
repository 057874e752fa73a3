import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import type { JwtKey } from 'kit-auth';
import { builtApp } from 'test-support';
import { findApplication } from '../application/find-application.js';
import type { Finding, Passed } from './diagnosis.js';
import { checkSigningKeys } from './signing-keys.check.js';
import { checkThrottle, severalProcesses } from './throttle.check.js';
import { checkTrustProxy } from './trust-proxy.check.js';

const foundWith = (files: Record<string, string>) =>
  findApplication(builtApp({ 'dist/app.module.js': '', ...files }));
const only = (findings: Finding[] | Passed) => {
  expect(findings).toHaveLength(1);
  return (findings as Finding[])[0];
};

describe('the check of the throttle', () => {
  const check = (
    throttle: unknown,
    files: Record<string, string> = {},
    env: Record<string, string> = {},
    isProduction = false,
  ) => {
    const app = { get: () => ({ login: { throttle } }) } as unknown as INestApplication;
    return checkThrottle(app, severalProcesses(foundWith(files), env), isProduction);
  };
  const IN_PROCESS = { failures: 5 };

  it.each<[string, Record<string, string>, Record<string, string>, string]>([
    ['WEB_CONCURRENCY', { WEB_CONCURRENCY: '4' }, {}, 'WEB_CONCURRENCY is 4'],
    [
      'PM2',
      {},
      { 'ecosystem.config.cjs': "module.exports = { apps: [{ instances: 'max' }] };" },
      'ecosystem.config.cjs asks PM2 for several instances',
    ],
    [
      'a script',
      {},
      { 'package.json': '{ "type": "module", "scripts": { "prod": "pm2 start dist/main.js -i 4" } }' },
      'the script prod of package.json asks PM2',
    ],
  ])('knows of several processes by %s', (_what, env, files, text) => {
    expect(only(check(IN_PROCESS, files, env))).toMatchObject({
      level: 'problem',
      problem: expect.stringContaining(text),
    });
  });

  it('finds nothing with one process, or a shared store', () => {
    const one = { 'pm2.config.js': 'export default { apps: [{ instances: 1 }] }' };
    expect(check(IN_PROCESS, one)).toEqual({ note: expect.stringContaining('right with one process') });
    expect(check({ ...IN_PROCESS, limiter: () => ({}) }, {}, { WEB_CONCURRENCY: '4' })).toEqual([]);
  });

  it('warns when it is off, and in production, where there may be several processes', () => {
    expect(only(check(false))).toMatchObject({ level: 'warning' });
    expect(only(check(IN_PROCESS, {}, {}, true))).toMatchObject({
      level: 'warning',
      problem: expect.stringContaining('doctor cannot see how many processes'),
    });
  });
});

describe('the check of trust proxy', () => {
  const check = (files: Record<string, string>, type = 'express', setting?: unknown, isProduction = true) => {
    const [platform, version] = type.split(' ');
    const adapter = { getType: () => platform, getInstance: () => ({ get: () => setting, version }) };
    const app = { getHttpAdapter: () => adapter } as unknown as INestApplication;
    return checkTrustProxy(app, foundWith(files), isProduction);
  };

  it.each(["app.set('trust proxy', 1)", "new FastifyAdapter({ trustProxy: '10.0.0.0/8' })"])(
    'does not warn where main.js may set it: %s',
    (line) => {
      expect(check({ 'dist/main.js': line })).toEqual({
        note: expect.stringContaining('dist/main.js may set it'),
      });
    },
  );

  it.each([
    ["app.set('trust proxy', true)", 'warning'],
    ["app.enable('trust proxy')", 'warning'],
    ['new FastifyAdapter({ trustProxy: true })', 'warning'],
    ['new FastifyAdapter({trustProxy:!0})', 'warning'],
    ["app.set('trust proxy', 1)", undefined],
    ["new FastifyAdapter({ trustProxy: '10.0.0.0/8' })", undefined],
  ])('reads main.js: %s', (line, level) => {
    const findings = check({ 'dist/main.js': line });
    expect(Array.isArray(findings) ? only(findings)?.level : undefined).toBe(level);
  });

  it.each([
    ['new FastifyAdapter({ trustProxy: 1 })', 'fastify 5.12.1', 'which Fastify 5.12.1 ignores'],
    ['new FastifyAdapter({trustProxy:2,logger:!0})', 'fastify 6.0.0', 'which Fastify 6.0.0 ignores'],
    ['{ trustProxy: Number(process.env.PROXIES) }', 'fastify 5.12.8', 'which Fastify 5.12.8 ignores'],
    ['new FastifyAdapter({ trustProxy: 1 })', 'fastify 5.11.3', undefined],
    ['new FastifyAdapter({ trustProxy: (address, hop) => hop < 1 })', 'fastify 5.12.8', undefined],
    ["new FastifyAdapter({ trustProxy: '10.0.0.0/8' })", 'fastify 5.12.8', undefined],
    ["app.set('trust proxy', 1)", 'express', undefined],
  ])('warns about a number that has no effect: %s on %s', (line, type, problem) => {
    const findings = check({ 'dist/main.js': line }, type);
    expect(Array.isArray(findings) ? only(findings)?.problem : undefined).toEqual(
      problem && expect.stringContaining(problem),
    );
  });

  it('passes in development', () => {
    expect(check({}, 'express', undefined, false)).toEqual({
      note: 'not set, which is right without a reverse proxy',
    });
  });

  it('shows the setting of the server that the application has', () => {
    expect(only(check({}))?.cure).toContain("app.set('trust proxy', 1)");
    expect(only(check({}, 'fastify'))?.cure).toContain("new FastifyAdapter({ trustProxy: 'loopback' })");
  });

  it('asks Express what a setup function has set', () => {
    expect(only(check({}, 'express', true))?.problem).toContain('The application trusts every proxy');
    expect(check({}, 'express', 1)).toEqual([]);
    expect(only(check({}, 'fastify', true))?.problem).toContain('trusts no proxy');
  });
});

describe('the check of signing keys', () => {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const pair = generateKeyPairSync('ed25519');
  const privateKey = pair.privateKey.export({ format: 'jwk' });
  const key = (kid: string, more: object = {}) => ({ kid, alg: 'EdDSA', key: privateKey, ...more }) as JwtKey;
  const publicKey = pair.publicKey.export({ format: 'jwk' });

  it.each([
    ['is new', daysAgo(1).slice(0, 10)],
    ['is from the month of a year ago', daysAgo(365).slice(0, 7)],
    ['has no date in its name', 'spring'],
  ])('passes if one signs that %s', (_what, kid) => {
    expect(checkSigningKeys([key(kid)])).toEqual([]);
  });

  it.each(['2019-11-27', '2019-11', '2019-11-27.eu', daysAgo(367).slice(0, 10)])(
    'warns of an old one if %s signs',
    (kid) => {
      expect(checkSigningKeys([key('2026-01-01', { next: true }), key(kid)])).toEqual([
        {
          level: 'warning',
          problem: `The key ${kid} of kit.auth.jwt.keys has signed for more than a year, as its name says.`,
          cure: 'Replace it with what "npx kit-auth jwt-key" prints, in the three steps that it names.',
        },
      ]);
    },
  );

  it('passes if old ones only verify', () => {
    expect(checkSigningKeys([key('2019-11', { key: publicKey }), key('new'), key('2019')])).toEqual([]);
  });

  it('warns of those that have ended', () => {
    const until = daysAgo(1);
    expect(checkSigningKeys([key('new'), key('old', { until })])).toEqual([
      {
        level: 'warning',
        problem: `The key old of kit.auth.jwt.keys has ended: ${until}.`,
        cure: 'Remove it from the list.',
      },
    ]);
  });

  it.each([
    ['a text', 'correct-horse'.repeat(4)],
    ['a JWK', { kty: 'oct', k: Buffer.from('correct-horse'.repeat(4)).toString('base64url') }],
    ['JSON', JSON.stringify({ kty: 'oct', k: Buffer.alloc(32, 1).toString('base64url') })],
  ])('finds secrets that are easy to guess: %s', (_form, secret) => {
    const findings = checkSigningKeys([key('one', { alg: 'HS256', key: secret })]);
    expect(findings).toEqual([
      {
        level: 'problem',
        problem: expect.stringContaining('The key one of kit.auth.jwt.keys is easy to guess: it '),
        cure: 'Replace it with what "npx kit-auth secret" prints.',
      },
    ]);
    expect(JSON.stringify(findings)).not.toMatch(/horse|AQEB/);
  });
});
