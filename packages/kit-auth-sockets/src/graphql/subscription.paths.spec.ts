import { describe, expect, it } from '@jest/globals';
import { IllegalStateException, KitAuthModule, type KitAuthOptions } from 'kit-auth';
import { PlainUsersModule, TestApp } from 'test-support';
import { KitAuthSocketsModule } from '../kit-auth-sockets.module.js';

/** Whether an application starts, with the options that @nestjs/graphql would have. */
async function start(options: KitAuthOptions, graphql: object, prefix?: string): Promise<unknown> {
  const app = new TestApp({
    database: false,
    core: KitAuthModule.forRoot({ users: PlainUsersModule, ...options }),
    imports: [KitAuthSocketsModule],
    providers: [{ provide: 'GqlModuleOptions', useValue: graphql }],
  });
  await app.create();
  if (prefix !== undefined) {
    app.nest.setGlobalPrefix(prefix);
  }
  return app.nest.init().then(
    () => 'started',
    (error: unknown) => error,
  );
}

const at = (path: string) => ({ subscriptions: { 'graphql-ws': { path } } });

describe('subscriptions with a path of their own', () => {
  it('end the start if they open what the path of their server protects', async () => {
    expect(await start({ protect: ['/graphql'] }, at('/events'))).toEqual(
      new IllegalStateException(
        'kit.auth.protect protects /graphql, but not /events, where subscriptions reach the same resolvers. Add that path ' +
          "to kit.auth.protect, or remove it from subscriptions['graphql-ws'].",
      ),
    );
    const graphql = { path: 'api/graphql', ...at('events') };
    const { message } = (await start({ protect: ['/api/**'] }, graphql)) as Error;
    expect(message).toContain('protects /api/graphql, but not /events');
    const prefixed = { useGlobalPrefix: true, ...at('/events') };
    expect(await start({ protect: ['/v2/graphql'] }, prefixed, 'v2')).toBeInstanceOf(IllegalStateException);
  });

  it.each<[KitAuthOptions, object]>([
    [{ protect: ['/graphql', '/events'] }, at('/events')],
    [{ protect: 'decorated' }, at('/events')],
    [{ protect: ['/graphql'] }, at('/graphql')],
    [{ protect: ['/graphql'] }, { subscriptions: { 'graphql-ws': true } }],
    [{ protect: ['/graphql'] }, {}],
    [{ protect: ['/graphql'], enabled: false }, at('/events')],
  ])('are no matter with %j and %j', async (options, graphql) => {
    expect(await start(options, graphql)).toBe('started');
  });
});
