import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { Inject, Injectable, type INestApplication, Module, type ModuleMetadata } from '@nestjs/common';
import { ConfigModule, ConfigService, type ConfigType, registerAs } from '@nestjs/config';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  IllegalStateException,
  KIT_AUTH_SETTINGS,
  KitAuthModule,
  kitAuthConfig,
  type KitAuthSettings,
} from 'kit-auth';
import { KitAuthAdminModule } from 'kit-auth-admin';
import { KitAuthSessionModule } from 'kit-auth-session';
import { adminOptions } from '../../../../packages/kit-auth-admin/src/admin.options.js';
import { sessionOptions } from '../../../../packages/kit-auth-session/src/session.options.js';

import { sqliteInMemory } from 'test-support';

const before = { ...process.env };
const directory = mkdtempSync(join(tmpdir(), 'kit-auth-config-'));
const envFilePath = join(directory, '.env');
afterEach(() => {
  process.env = { ...before };
  rmSync(envFilePath, { force: true });
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

type Imports = NonNullable<ModuleMetadata['imports']>;

const database = () => TypeOrmModule.forRoot(sqliteInMemory());
const compile = (...imports: Imports) => Test.createTestingModule({ imports }).compile();

async function start(...imports: Imports): Promise<INestApplication> {
  const app = (await compile(database(), ...imports)).createNestApplication({ logger: false });
  try {
    return await app.init();
  } catch (error) {
    await app.close();
    throw error;
  }
}

describe('kitAuthConfig with @nestjs/config', () => {
  const expected = { tokenHeader: 'X-Token', jwt: { expireMinutes: 60 }, session: { maxPerUser: 3 } };
  const fill = () =>
    writeFileSync(
      envFilePath,
      'KIT_AUTH_TOKEN_HEADER=X-Token\nKIT_AUTH_JWT_EXPIRE_MINUTES=60\nKIT_AUTH_SESSION_MAX_PER_USER=3\n',
    );

  it('has the keys and the shape that registerAs gives', () => {
    const theirs = registerAs('kit.auth', () => ({}));
    const keys = (object: object) => Object.getOwnPropertyNames(object).sort();
    expect(keys(kitAuthConfig)).toEqual(keys(theirs));
    expect(kitAuthConfig.KEY).toBe(theirs.KEY);
    expect(keys(kitAuthConfig.asProvider())).toEqual(keys(theirs.asProvider()));
    expect(kitAuthConfig.asProvider().inject).toEqual(theirs.asProvider().inject);
  });

  it('is loaded by ConfigModule.forRoot(), from an .env file', async () => {
    fill();
    const module = await compile(ConfigModule.forRoot({ envFilePath, load: [kitAuthConfig] }));
    const config = module.get(ConfigService);
    expect(config.get('kit.auth')).toEqual(expected);
    expect(config.get('kit.auth.jwt.expireMinutes')).toBe(60);
    expect(module.get(kitAuthConfig.KEY)).toEqual(expected);
    await module.close();
  });

  it('is loaded by ConfigModule.forFeature(), and injected under its key', async () => {
    @Injectable()
    class Reader {
      constructor(
        @Inject(kitAuthConfig.KEY) readonly options: ConfigType<typeof kitAuthConfig>,
        readonly config: ConfigService,
      ) {}
    }
    @Module({ imports: [ConfigModule.forFeature(kitAuthConfig)], providers: [Reader] })
    class Feature {}
    fill();
    const module = await compile(ConfigModule.forRoot({ envFilePath }), Feature);
    const { options, config } = module.get(Reader);
    expect([options, config.get('kit.auth')]).toEqual([expected, expected]);
    expect(options.jwt?.expireMinutes).toBe(60);
    await module.close();
  });

  it.each([
    ['after ConfigModule', (config: ReturnType<typeof ConfigModule.forRoot>) => [config]],
    ['without importing it', () => []],
  ])('configures KitAuthModule and the packages, %s', async (_name, others) => {
    fill();
    const config = ConfigModule.forRoot({ envFilePath });
    const sessions = KitAuthSessionModule.forRoot({ store: 'memory' });
    const app = await start(
      ...others(config),
      KitAuthModule.forRootAsync(kitAuthConfig.asProvider()),
      sessions,
    );
    const { session, ...core } = expected;
    expect(app.get<KitAuthSettings>(KIT_AUTH_SETTINGS)).toMatchObject(core);
    const settings = { ...session, store: 'memory' };
    expect(app.get(sessionOptions.token, { strict: false })).toMatchObject({ settings });
    await app.close();
  });

  it('can be overridden in a test', async () => {
    const module = await Test.createTestingModule({
      imports: [database(), KitAuthModule.forRootAsync(kitAuthConfig.asProvider())],
    })
      .overrideProvider(kitAuthConfig.KEY)
      .useValue({ tokenHeader: 'X-Test' })
      .compile();
    expect(module.get<KitAuthSettings>(KIT_AUTH_SETTINGS).tokenHeader).toBe('X-Test');
    await module.close();
  });
});

describe('options of several packages', () => {
  const packages = (enabled: boolean) =>
    start(
      KitAuthModule.forRoot({ enabled, session: { idleMinutes: 0 }, admin: { auditRetentionDays: 30 } }),
      KitAuthSessionModule.forRoot({ overflow: 'drop' as never, store: 'memory' }),
      KitAuthAdminModule,
    );

  it('fail start-up together', async () => {
    const error = await packages(true).catch((error: unknown) => error as Error);
    expect(error).toBeInstanceOf(IllegalStateException);
    expect((error as Error).message).toBe(
      'The configuration is invalid: kit.auth.session.idleMinutes must be a whole number from 1 to 525600; ' +
        "kit.auth.session.overflow must be 'end-oldest' or 'refuse'.",
    );
  });

  it('are not checked while authentication is off', async () => {
    const app = await packages(false);
    expect(app.get(adminOptions.token, { strict: false })).toMatchObject({
      settings: { auditRetentionDays: 30 },
    });
    await app.close();
  });
});
