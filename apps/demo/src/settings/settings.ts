import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import { databaseOptions } from './database.js';
import { type DemoProviderSettings, demoProviderSettings } from './demo-provider.js';
import { factorKeyFile } from './factor-key.js';
import { type MailSettings, mailSettings } from './mail.js';
import { SettingError } from './setting-error.js';

/** The settings of the environment, see `.env.example`. The `KIT_AUTH_*` keys are read by `kitAuthConfig`. */
export interface Settings {
  port: number;
  host: string;
  platform: 'express' | 'fastify';
  provider: 'jwt' | 'session';
  database: TypeOrmModuleOptions;
  /** The store of sessions. Undefined: the database. */
  redisUrl: string | undefined;
  /** Whether cookies on localhost work without TLS, in browsers that insist on it. */
  insecureLocalhost: boolean;
  mail: MailSettings;
  /** Undefined: there are no logins with a provider. */
  demoProvider: DemoProviderSettings | undefined;
  /** The file with the key of second factors. Undefined: a key for this run only. */
  factorKeyFile: string | undefined;
}

export function readSettings(env: NodeJS.ProcessEnv, defaultDatabaseUrl: string): Settings {
  const databaseUrl = env['DATABASE_URL'] ?? defaultDatabaseUrl;
  const host = env['HOST'] ?? '127.0.0.1';
  const mail = mailSettings(env);
  return {
    port: port(env['PORT'] ?? '3000'),
    host,
    platform: oneOf('KIT_DEMO_PLATFORM', env['KIT_DEMO_PLATFORM'] ?? 'express', ['express', 'fastify']),
    provider: oneOf('KIT_DEMO_PROVIDER', env['KIT_DEMO_PROVIDER'] ?? 'jwt', ['jwt', 'session']),
    database: databaseOptions(databaseUrl),
    redisUrl: redisUrl(env['REDIS_URL']),
    insecureLocalhost: env['NODE_ENV'] !== 'production',
    mail,
    demoProvider: demoProviderSettings(env, host, mail),
    factorKeyFile: factorKeyFile(env, databaseUrl, defaultDatabaseUrl),
  };
}

function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new SettingError(`PORT must be a whole number from 0 to 65535, not "${text}"`);
  }
  return Number(text);
}

function redisUrl(text: string | undefined): string | undefined {
  if (text !== undefined && !/^rediss?:\/\//.test(text)) {
    throw new SettingError('REDIS_URL must begin with redis:// or rediss://');
  }
  return text;
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  if (!(allowed as readonly string[]).includes(value)) {
    throw new SettingError(`${name} must be ${allowed.join(' or ')}, not "${value}"`);
  }
  return value as T;
}
