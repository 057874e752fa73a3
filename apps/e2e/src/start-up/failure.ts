import { expect } from '@jest/globals';
import { IllegalStateException } from 'kit-auth';
import { testApp, type TestAppOptions } from 'test-support';

/** The message of the error that ends the start of an application. */
export async function failure(options: TestAppOptions): Promise<string> {
  const error: unknown = await testApp(options).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(IllegalStateException);
  return (error as Error).message;
}
