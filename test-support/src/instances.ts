import { beforeAll } from '@jest/globals';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import { type DatabaseName, sharedDatabase } from './databases.js';
import type { Platform } from './platforms.js';
import type { Import } from './providers.js';
import { sharedTestApp, type TestApp, type TestAppOptions } from './test-app.js';

/** The kinds of tokens that an application can have. */
const IMPLEMENTATIONS = {
  jwt: { provider: 'jwt' },
  /** Access tokens live long enough to become too old for `@RequireFresh()`. */
  'jwt with refresh tokens': {
    provider: 'jwt',
    imports: [KitAuthRefreshModule.forRoot({ accessMinutes: 60 })],
  },
  'stateful sessions': { provider: 'session' },
  'stateless sessions': { session: { mode: 'stateless', secret: 's'.repeat(32) } },
} as const satisfies Record<string, TestAppOptions>;

export type Implementation = keyof typeof IMPLEMENTATIONS;
export const TOKENS = Object.keys(IMPLEMENTATIONS) as Implementation[];

type Options = TestAppOptions & { imports: Import[] };

/** What an application with such tokens needs. */
export function optionsFor(tokens: Implementation, ...imports: Import[]): Options {
  const given: TestAppOptions = IMPLEMENTATIONS[tokens];
  return { ...given, imports: [...(given.imports ?? []), ...imports] };
}

/** Where a suite runs. */
export interface Place {
  readonly database: DatabaseName;
  readonly platform: Platform;
  readonly tokens: Implementation;
}

export function nameOf({ database, platform, tokens }: Place): string {
  return `on ${database} with ${tokens} on ${platform}`;
}

/**
 * For the body of a `describe`: two instances of an application on one database, which is empty when they start.
 *
 * @param make gets what the place says of the options of an application
 */
export function sharedInstances<T extends TestApp>(
  { database: name, platform, tokens }: Place,
  make: (options: Options) => T,
): readonly [T, T] {
  const database = sharedDatabase(name);
  const empty = { ...optionsFor(tokens), platform, database };
  beforeAll(() => database.recreate());
  const first = sharedTestApp(make(empty));
  const second = { ...database.options, synchronize: false } as NonNullable<Options['database']>;
  return [first, sharedTestApp(make({ ...empty, database: second }))];
}
