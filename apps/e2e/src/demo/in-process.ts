import { join } from 'node:path';
import { afterAll, afterEach } from '@jest/globals';
import { type INestApplication, Logger } from '@nestjs/common';
import { MemoryLogger } from 'test-support';
import { readSettings } from '../../../demo/src/settings/settings.js';
import { start } from '../../../demo/src/start.js';
import { directory } from './process.js';

/** In memory, and without the provider, whose process would outlive an application of this process. */
const DEFAULTS = {
  PORT: '0',
  DATABASE_URL: 'sqlite::memory:',
  KIT_AUTH_PASSWORD_COST: '10',
  KIT_DEMO_OIDC_PORT: 'off',
} as const;

export interface DemoInProcess {
  port: number;
  /** The greeting, and what was logged until now. */
  output: () => string;
  close: () => Promise<void>;
}

/** Of all that run: Nest has one logger for the process. */
const logs = new MemoryLogger();
const ofTest = new Set<INestApplication>();
const ofFile = new Set<INestApplication>();
afterEach(() => closeAll(ofTest));
afterAll(() => closeAll(ofFile));

/** Runs until the test ends, or all tests of the context where they share it. Rejects as the start of the demo does. */
export async function runDemo(
  environment: Record<string, string> = {},
  shared = false,
): Promise<DemoInProcess> {
  const given = { ...DEFAULTS, ...environment };
  const before = logs.lines.length;
  Logger.overrideLogger(logs);
  const settings = readSettings(given, `sqlite:${join(directory, 'demo.sqlite')}`);
  const { app, greeting } = await withVariables(given, () => start(settings));
  const apps = shared ? ofFile : ofTest;
  apps.add(app);
  return {
    port: Number(new URL(await app.getUrl()).port),
    output: () => [greeting, ...logs.lines.slice(before).map(({ text }) => text)].join('\n'),
    close: async () => {
      apps.delete(app);
      await app.close();
    },
  };
}

/** `kitAuthConfig` reads the environment while the application starts. */
async function withVariables<T>(variables: Record<string, string>, run: () => Promise<T>): Promise<T> {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  try {
    return await run();
  } finally {
    Object.keys(variables).forEach((name) => Reflect.deleteProperty(process.env, name));
    Object.assign(process.env, before);
  }
}

async function closeAll(apps: Set<INestApplication>): Promise<void> {
  const closing = [...apps];
  apps.clear();
  await Promise.all(closing.map((app) => app.close()));
}
