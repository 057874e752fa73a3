/** @own-context because it replaces modules */
import { expect, it, jest } from '@jest/globals';

/** As where neither is installed. */
for (const name of ['redis', 'pg']) {
  jest.unstable_mockModule(name, () => {
    throw Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' });
  });
}

const { KIT_AUTH_SETTINGS, IllegalStateException } = await import('kit-auth');
const { ActiveUserStore, Ports } = await import('kit-auth/feature');
const { ActiveProvider } = await import('kit-auth/login');
const { KitAuthPostgresBusModule } = await import('kit-auth-sockets/postgres');
const { KitAuthRedisBusModule } = await import('kit-auth-sockets/redis');
const { Global, Module } = await import('@nestjs/common');
const { NestFactory } = await import('@nestjs/core');

class Settings {}
const core = [ActiveProvider, ActiveUserStore, Ports];
Module({
  providers: [
    { provide: KIT_AUTH_SETTINGS, useValue: { enabled: true } },
    ...core.map((provide) => ({ provide, useValue: {} })),
  ],
  exports: [KIT_AUTH_SETTINGS, ...core],
})(Settings);
Global()(Settings);

it.each([
  [
    KitAuthRedisBusModule.forRoot({ url: 'redis://:hunter2@127.0.0.1' }),
    'kit.auth.redisBus.url needs the package redis: npm install redis. ' +
      'Or pass a client of ioredis: kit.auth.redisBus.client.',
  ],
  [
    KitAuthPostgresBusModule.forRoot({ url: 'postgres://u:hunter2@127.0.0.1/db' }),
    'kit.auth.postgresBus needs the package pg: npm install pg.',
  ],
])('names the cure where a package is missing', async (bus, message) => {
  const root = { module: class Root {}, imports: [Settings, bus] };
  const app = await NestFactory.createApplicationContext(root, { logger: false, abortOnError: false }).catch(
    (error: unknown) => error,
  );
  expect(app).toBeInstanceOf(IllegalStateException);
  expect((app as Error).message).toBe(message);
});
