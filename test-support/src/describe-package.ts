import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import type { DynamicModule, Type } from '@nestjs/common';
import { IllegalStateException, KitAuthModule, kitAuthConfig } from 'kit-auth';
import type { OptionRow } from 'kit-auth/cli';
import type { ResolvedOptions } from 'kit-auth/feature';
import { OpenApi } from './openapi.js';
import { PlainProviderModule } from './plain-provider.js';
import { CapableUsersModule, PlainUsersModule } from './plain-users.js';
import type { Import } from './providers.js';
import type { Answer } from './raw-http.js';
import { type TestApp, testApp, type TestAppOptions } from './test-app.js';

interface PackageModule<O> {
  readonly name: string;
  forRoot(options?: O): DynamicModule;
  forRootAsync(options: object): DynamicModule;
}

export interface PackageContract<O extends object> {
  /** `import.meta.url` of the spec, which is in `src`. */
  at: string;
  /** What each entry exports: `{ '': index, testing, typeorm }`. */
  entries: Record<string, object>;
  module: PackageModule<O>;
  definition: {
    readonly rows: readonly OptionRow[];
    readonly group: string | undefined;
    resolve(given: unknown): ResolvedOptions<object>;
  };
  /** The fewest options with which the application starts, and the settings that follow. */
  options: O;
  defaults: object;
  /** Whether its module is the authentication implementation. */
  isProvider?: boolean;
  /** Other modules that it cannot do without. */
  with?: readonly Import[];
  /** Options that are refused, and all that is said of them. Together, they name every option. */
  wrong: readonly (readonly [given: object, ...problems: string[]])[];
  warned?: readonly (readonly [given: O, warning: string])[];
  /** Variables of the environment, and the settings that they make. Together, they name every option that has one. */
  environment: readonly (readonly [Record<string, string>, settings: object])[];
  /** What start-up requires. */
  needs: {
    /** Whether tokens have to keep the proof of the login, or what else is said where they do not. */
    proof?: boolean | RegExp;
    /** Optional methods of the user store. */
    store?: readonly string[];
    /** A user store that lacks only those. Default: one without optional methods. */
    users?: Type;
    /** One of them, where several are missing. */
    tables?: RegExp;
    /** What two imports are told. Undefined where they do no harm. */
    once?: RegExp;
  };
  /** The endpoints that need no token. All others of the package are called without one. */
  open?: readonly string[];
  /** One request for each endpoint. They run one after the other, as a user with `permissions` and as administrator. */
  requests?: (app: TestApp, check: (name: string, answer: Answer) => Answer) => Promise<void>;
}

const NO_TABLES = { type: 'better-sqlite3', database: ':memory:', autoLoadEntities: true } as const;

/**
 * What each package must show that has no options. Part of `describePackage()`.
 *
 * @param typesOnly classes that are exported as types
 */
export function describeExports(
  { at, entries }: Pick<PackageContract<object>, 'at' | 'entries'>,
  typesOnly: readonly string[] = [],
): void {
  const { folder, name } = packageAt(at);
  it(`exports the names of the API reports of ${name} and no other`, () => {
    const reports = readdirSync(join(folder, 'api')).map((file) =>
      file.slice(name.length, -'.api.md'.length),
    );
    expect(Object.keys(entries).sort()).toEqual(reports.map((entry) => entry.slice(1)).sort());
    for (const [entry, exported] of Object.entries(entries)) {
      const report = readFileSync(
        join(folder, 'api', `${[name, entry].filter(Boolean).join('-')}.api.md`),
        'utf8',
      );
      const names = [...report.matchAll(/^export (?:abstract class|class|const|enum|function) (\w+)/gm)];
      const expected = new Set(
        names.map(([, found]) => found!).filter((found) => !typesOnly.includes(found)),
      );
      expect(Object.keys(exported).sort()).toEqual([...expected].sort());
    }
  });
}

function packageAt(at: string): { folder: string; name: string } {
  const folder = fileURLToPath(new URL('..', at));
  const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name: string };
  return { folder, name };
}

/** What every package must show. */
export function describePackage<O extends object>(contract: PackageContract<O>): void {
  const { module, definition, options, needs } = contract;
  const { name } = packageAt(contract.at);
  const start = (imports: Import[], rest: TestAppOptions = {}) =>
    testApp({
      ...(contract.isProvider === true && { provider: false }),
      ...rest,
      imports: [...(contract.with ?? []), ...imports],
    });
  const withOptions = (given: object = options, rest?: TestAppOptions) =>
    start([module.forRoot(given as O)], rest);

  /** The message of a start that fails. It says nothing twice, and no secret. */
  async function refusal(starting: Promise<unknown>): Promise<string> {
    const error: unknown = await starting.then(
      () => new Error('It has started'),
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(IllegalStateException);
    const { message } = error as Error;
    expect(message).not.toMatch(/(kit\.auth\.[\w.]+) .*\1 /);
    for (const secret of Object.values(options)
      .flat()
      .filter((value) => String(value).length >= 32)) {
      expect(message).not.toContain(secret);
    }
    return message;
  }

  describe(name, () => {
    describeExports(contract);

    describe('the options', () => {
      const namedIn = (texts: readonly string[]) => (key: string) => texts.some((text) => text.includes(key));

      it('have defaults', () => {
        const { settings, problems, warnings } = definition.resolve(options);
        expect({ settings, problems, warnings }).toEqual({
          settings: contract.defaults,
          problems: [],
          warnings: [],
        });
      });

      it.each(contract.wrong)('refuse %j', (given, ...problems) => {
        expect(definition.resolve(given).problems).toEqual(problems);
      });

      it('are all refused somewhere, and all set somewhere by the environment', () => {
        const keys = definition.rows.map(({ key }) => key);
        expect(
          keys.filter((key) => !namedIn(contract.wrong.flatMap(([, ...problems]) => problems))(key)),
        ).toEqual([]);
        const variables = contract.environment.flatMap(([given]) => Object.keys(given));
        const settable = definition.rows.filter(({ isInEnvironment }) => isInEnvironment);
        expect(settable.map(({ variable }) => variable).filter((it) => !variables.includes(it))).toEqual([]);
      });

      (contract.warned ?? []).forEach(([given, warning]) => {
        it(`warn of ${JSON.stringify(given)}`, () => {
          const { problems, warnings } = definition.resolve(given);
          expect({ problems, warnings }).toEqual({ problems: [], warnings: [warning] });
        });
      });

      it.each(contract.environment)('can come from the environment: %j', (variables, settings) => {
        Object.assign(process.env, variables);
        try {
          const given = (kitAuthConfig() as Record<string, unknown>)[definition.group!] as object;
          // What is required may have no variable.
          expect(definition.resolve({ ...options, ...given })).toMatchObject({ problems: [], settings });
        } finally {
          Object.keys(variables).forEach((variable) => Reflect.deleteProperty(process.env, variable));
        }
      });

      it('come from a factory or a class', async () => {
        class FromElsewhere {
          async create() {
            return options;
          }
        }
        const ways = [{ useFactory: async () => options }, { useClass: FromElsewhere }];
        for (const way of ways) {
          await (await start([module.forRootAsync(way)])).close();
        }
      });
    });

    describe('start-up', () => {
      it('fails with what the options refuse, and says all of it', async () => {
        const [given, ...problems] = contract.wrong.reduce((most, row) =>
          row.length > most.length ? row : most,
        );
        const message = await refusal(withOptions(given));
        problems.forEach((problem) => expect(message).toContain(problem));
      });

      it('fails with two imports, where they would do harm', async () => {
        const starting = start([module.forRoot(options), module.forRoot(options)]);
        if (needs.once === undefined) {
          await starting;
        } else {
          expect(await refusal(starting)).toMatch(needs.once);
        }
      });

      it('fails with tokens that keep no proof, where it needs that', async () => {
        const starting = withOptions(options, { provider: PlainProviderModule });
        if (contract.isProvider === true) {
          expect(await refusal(starting)).toMatch(/plain/);
        } else if (needs.proof === true) {
          expect(await refusal(starting)).toContain(
            `${name} cannot be used with plain: its tokens do not record`,
          );
        } else if (needs.proof instanceof RegExp) {
          expect(await refusal(starting)).toMatch(needs.proof);
        } else {
          await starting;
        }
      });

      it('fails with a user store that lacks methods, where it needs them', async () => {
        const users = needs.users ?? PlainUsersModule;
        const starting = withOptions(options, { core: KitAuthModule.forRoot({ users }) });
        if (needs.store === undefined) {
          await starting;
        } else {
          expect(await refusal(starting)).toContain(
            `${name} needs a user store with the method ${needs.store.join(', ')}, which `,
          );
        }
      });

      it('fails without its tables or their entities, where it has some', async () => {
        const core = KitAuthModule.forRoot({ users: CapableUsersModule });
        const own = contract.entries['typeorm'] as { kitAuthEntities: readonly Type[] } | undefined;
        for (const database of [NO_TABLES, { ...NO_TABLES, autoLoadEntities: false, entities: [] }]) {
          const starting = withOptions(options, { core, database });
          if (needs.tables === undefined) {
            await starting;
            continue;
          }
          const message = await refusal(starting);
          if (own !== undefined) {
            expect(message).toContain(`${name}/typeorm`);
          }
          if (database.autoLoadEntities) {
            expect(message).toMatch(needs.tables);
          } else {
            expect(message).toMatch(/does not contain .* Add kitAuthEntities of kit-auth[\w-]*\//);
            own?.kitAuthEntities.forEach((entity) => expect(message).toContain(entity.name));
          }
        }
      });

      it('needs nothing while kit.auth.enabled is false, and every endpoint answers 404', async () => {
        const described = [...new OpenApi(await withOptions(options, { admin: true })).ours.keys()];
        const core = KitAuthModule.forRoot({ enabled: false, users: PlainUsersModule });
        const off = await withOptions(options, { database: false, core });
        for (const endpoint of described) {
          const [method, path] = endpoint.split(' ') as [string, string];
          const { status } = await off.call(undefined, method, path.replaceAll(/\{\w+\}/g, '1'));
          expect([endpoint, status]).toEqual([endpoint, 404]);
        }
      });
    });

    describeEndpoints(
      () => withOptions(options, { admin: true }),
      contract.requests,
      () => testApp({ admin: true, imports: [...(contract.with ?? [])] }),
      contract.open,
    );
  });
}

/**
 * That every endpoint is described, and answers as the description says. Part of `describePackage()`.
 *
 * @param others starts an application with endpoints of which the first has more
 */
export function describeEndpoints(
  start: () => Promise<TestApp>,
  requests: PackageContract<object>['requests'],
  others?: () => Promise<TestApp>,
  open?: readonly string[],
): void {
  it('describes its endpoints, and answers as it says', async () => {
    const app = await start();
    const { ours } = new OpenApi(app);
    const ids = [...ours.values()].map(({ operationId }) => operationId);
    expect(ids.filter((id) => !/^kitAuth[A-Z]/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    const own = new Set(ours.keys());
    if (others !== undefined) {
      [...new OpenApi(await others()).ours.keys()].forEach((endpoint) => own.delete(endpoint));
    }
    if (open !== undefined) {
      const closed = [...own].filter((endpoint) => ours.get(endpoint)!.security.length > 0);
      expect([...own].filter((endpoint) => !closed.includes(endpoint)).sort()).toEqual(open.toSorted());
      for (const endpoint of closed) {
        const [method, path] = endpoint.split(' ') as [string, string];
        const { json } = await app.call(undefined, method, path.replaceAll(/\{\w+\}/g, '1'), {});
        expect([endpoint, json?.code]).toEqual([endpoint, 40100]);
      }
    }
    const api = new OpenApi(app);
    await requests?.(app, (endpoint, answer) => {
      api.expectDescribed(endpoint, answer);
      own.delete(endpoint);
      return answer;
    });
    expect([...own]).toEqual([]);
  });
}
