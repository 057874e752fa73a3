/** @own-context because it replaces a module */
import { expect, it, jest } from '@jest/globals';
import { IllegalStateException } from 'kit-auth';
import { KitAuthOtelModule } from './kit-auth-otel.module.js';

it('KitAuthOtelModule says what to install when @opentelemetry/api is missing', async () => {
  jest.unstable_mockModule('@opentelemetry/api', () => {
    throw new Error("Cannot find package '@opentelemetry/api'");
  });
  const module = new KitAuthOtelModule();
  const start = module.onModuleInit();
  await expect(start).rejects.toThrow(IllegalStateException);
  await expect(start).rejects.toThrow(
    'KitAuthOtelModule cannot load @opentelemetry/api. Install it with "npm install @opentelemetry/api", or remove ' +
      "KitAuthOtelModule: Error: Cannot find package '@opentelemetry/api'",
  );
  expect(() => module.onApplicationShutdown()).not.toThrow();
});
