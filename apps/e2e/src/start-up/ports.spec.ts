import { describe, expect, it } from '@jest/globals';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { AUTH_CREDENTIAL, LOGIN_STEP } from 'kit-auth';
import { testApp, type TestAppOptions } from 'test-support';
import { failure } from './failure.js';

/** A module with providers, in its metadata or as a dynamic module. */
function moduleWith(...providers: Provider[]): DynamicModule {
  class ExtensionModule {}
  return { module: ExtensionModule, providers };
}

// What else is refused, how it is said, and what each method may return is in packages/kit-auth/src/ports/ports.spec.ts.
// What an extension that fails does to requests is in start-up.spec.ts.
describe('start-up refuses an extension that would never act, or for others', () => {
  const credential = (prefix: string) => ({
    provide: AUTH_CREDENTIAL,
    useValue: { prefix, scheme: 'ext', resolve: () => undefined },
  });

  it.each<[string, string, TestAppOptions]>([
    ['JWTs', 'eyJ', {}],
    ['JWTs', 'eyJhbGciOiJIUzI1', {}],
    ['sessions', 'kats_7', { provider: 'session' }],
    ['stateless sessions', 'kass1', { session: { mode: 'stateless', secret: 'k'.repeat(32) } }],
  ])('a credential that would resolve the tokens of %s: %s', async (_name, prefix, options) => {
    expect(await failure({ ...options, imports: [moduleWith(credential(prefix))] })).toMatch(
      /^The credential "ext" would resolve tokens of (?:jwt-stateless|session-token), which also begin with/,
    );
  });

  it('but not one for JWTs of another algorithm', async () => {
    const app = await testApp({ imports: [moduleWith(credential('eyJhbGciOiJSUzI1'))] });
    expect(await app.stateOf(await app.adminToken())).toBe('live');
  });

  it.each([true, false])('two contributions of one module, which is dynamic: %s', async (isDynamic) => {
    class TwoStepsModule {}
    const useClass = class Step {
      async succeeded() {}
    };
    const providers = [1, 2].map(() => ({ provide: LOGIN_STEP, useClass }));
    Module(isDynamic ? {} : { providers })(TwoStepsModule);
    const imports = [isDynamic ? { module: TwoStepsModule, providers } : TwoStepsModule];
    expect(await failure({ imports })).toContain(
      'TwoStepsModule provides kit-auth.login-step more than once, and Nest keeps only the last one',
    );
  });
});
