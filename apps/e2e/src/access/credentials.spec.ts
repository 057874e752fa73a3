import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AUTH_CREDENTIAL, AUTH_LOGINS, AUTH_MESSAGES, AUTH_PROVIDER } from 'kit-auth';
import { KitAuthRefreshModule } from 'kit-auth-refresh';
import type { AuthUser } from 'kit-auth/typeorm';
import { bodyOf, BOTH, freezeDate, type Platform, sharedTestApp } from 'test-support';
import { CredentialsApp, type Login, type Target } from './credentials.app.js';
import {
  type Credential,
  CREDENTIALS,
  type Outcome,
  type Rule,
  RULES,
  tablesInMarkdown,
  WITHOUT_ROW,
} from './credentials.table.js';

type Name = keyof typeof CREDENTIALS;

const ROOT = new URL('../../../../', import.meta.url);
const PORTS = new Map(
  Object.entries({ AUTH_CREDENTIAL, AUTH_LOGINS, AUTH_MESSAGES, AUTH_PROVIDER }).map(([name, token]) => [
    token as unknown,
    name,
  ]),
);

const READ: Target = { path: '/v1/table', gateway: ['table', 'read'], pattern: 'table', isForJobs: true };
const TARGETS: Partial<Record<Rule, Target>> = {
  '40120': { path: '/v1/table/fresh', gateway: ['table', 'fresh'], pattern: 'fresh' },
  '40304': { path: '/v1/table/plain', gateway: ['plain', 'read'], pattern: 'plain' },
  'of the packages': { path: '/v1/api/auth/keys' },
};

/** A user to whom a rule applies. */
interface Subject {
  readonly user: AuthUser;
  readonly actor: AuthUser | undefined;
  readonly hasFactor: boolean;
  /** Makes the rule apply. */
  readonly change: () => Promise<unknown>;
  /** Whether that comes after the login. */
  readonly isLate: boolean;
}

/** A token, the data of a job and a message, or why there is none. */
type Made = { readonly token: string } | { readonly data: object } | { readonly refused: Outcome };

const logIn = (app: CredentialsApp, { user, actor, hasFactor }: Subject): Promise<Login> =>
  actor !== undefined ? app.actAs(user, actor) : hasFactor ? app.logInWithFactor(user) : app.logIn(user);

async function loggedIn(app: CredentialsApp, subject: Subject, after = async (login: Login) => login) {
  if (!subject.isLate) {
    await subject.change();
  }
  const { token } = await after(await logIn(app, subject));
  if (subject.isLate) {
    await subject.change();
  }
  return { token };
}

/** Keys, carried users and tokens of issuers are older than what happens to their user. */
const MAKERS: Readonly<Record<Name, (app: CredentialsApp, subject: Subject) => Promise<Made>>> = {
  login: loggedIn,
  refresh: (app, subject) => loggedIn(app, subject, (login) => app.refreshed(login)),
  session: loggedIn,
  'API key': async (app, subject) => {
    const answer = await app.newKey(await logIn(app, subject));
    if (answer.status !== 201) {
      return { refused: `no key: ${answer.json.code}` };
    }
    await subject.change();
    return { token: bodyOf(answer, 201).key };
  },
  issuer: async (app, { user, actor, hasFactor, change }) => {
    const amr = hasFactor ? ['pwd', 'mfa'] : ['pwd'];
    const auth_time = Math.floor(Date.now() / 1000);
    const act = actor && { sub: String(actor.id) };
    const token = app.issuer.token({ sub: String(user.id), amr, auth_time, act });
    await change();
    return { token };
  },
  carried: async (app, subject) => {
    const data = await app.carry(await logIn(app, subject));
    await subject.change();
    return { data };
  },
};

const APPS: Readonly<Record<string, readonly [(platform: Platform) => CredentialsApp, ...Name[]]>> = {
  'with JWTs': [(platform) => new CredentialsApp({ platform }), 'login', 'API key', 'issuer', 'carried'],
  'with refresh tokens': [
    (platform) => new CredentialsApp({ platform, imports: [KitAuthRefreshModule] }),
    'refresh',
  ],
  'with sessions': [(platform) => new CredentialsApp({ platform, provider: 'session' }), 'session'],
};

describe.each(BOTH)('credentials on %s', (platform) => {
  describe.each(Object.entries(APPS))('of an application %s', (_name, [appOn, ...names]) => {
    const app = sharedTestApp(appOn(platform));
    let pass: (milliseconds: number) => void;
    beforeEach(() => {
      pass = freezeDate();
    });

    async function subjectOf(rule: Rule): Promise<Subject> {
      const user = await app.user({ roles: ['reader'] });
      const clerk = () => app.users.save({ ...user, roles: [...user.roles, clerkRole] });
      const clerkRole = await app.roles.findOneByOrFail({ code: 'clerk' });
      const changes: Partial<Record<Rule, () => Promise<unknown>>> = {
        '40301': () => app.users.update(user.id, { mustChangePassword: true }),
        '40303': clerk,
        requiredFor: clerk,
        '40120': async () => pass(120_000),
        checkStamp: async () => {
          await app.role({ code: `other-${user.id}` });
          const roles = ['reader', `other-${user.id}`];
          const answer = await app.call(await app.adminToken(), 'PUT', `users/${user.id}/roles`, { roles });
          expect(answer.status).toBe(200);
          pass(6000);
        },
      };
      return {
        user,
        actor: rule === 'actor' ? await app.user() : undefined,
        hasFactor: rule === 'requiredFor',
        change: changes[rule] ?? (async () => undefined),
        isLate: rule === 'checkStamp' || rule === '40120',
      };
    }

    async function outcomesOf(made: Made, target: Target): Promise<readonly Outcome[]> {
      if ('refused' in made) {
        return [made.refused, made.refused];
      }
      return 'data' in made
        ? [await app.inMessage(made.data, target), await app.inJob(made.data, target)]
        : [await app.overHttp(made.token, target), await app.overSocket(made.token, target)];
    }

    const cells = names.flatMap((name) =>
      (Object.keys(RULES) as Rule[]).map((rule) => [name, rule] as const),
    );

    it.each(cells)('%s, %s: as the table says', async (name, rule) => {
      const made = await MAKERS[name](app, await subjectOf(rule));
      const { outcomes } = (CREDENTIALS as Record<string, Credential>)[name]!.decisions[rule];
      expect(await outcomesOf(made, TARGETS[rule] ?? READ)).toEqual(outcomes);
    });

    if (names.includes('carried')) {
      it('takes a carried user from no request', async () => {
        const data = await app.carry(await app.logIn(await app.user({ roles: ['reader'] })));
        const { kitAuth: token } = data as { kitAuth: string };
        expect(await app.overHttp(token, READ)).toBe('40101 audience');
        expect(await app.overSocket(token, READ)).toBe('4401 audience');
      });
    }

    it('has a row in the table for each contribution', () => {
      const found = app
        .get(DiscoveryService)
        .getProviders()
        .map(({ host, token }) => contribution(host?.metatype.name, token))
        .filter((name) => name !== undefined);
      expect(found.filter((name) => !hasRow(name))).toEqual([]);
      expect(names.flatMap((name) => CREDENTIALS[name].contributions)).toEqual(
        names.flatMap((name) => CREDENTIALS[name].contributions.filter((one) => found.includes(one))),
      );
    });
  });
});

describe('the table of credentials', () => {
  it('has a row for what each package contributes, and for nothing else', async () => {
    const found = new Set<string>();
    for (const module of await modulesOfPackages()) {
      contributionsOf(module, found);
    }
    const listed = [
      ...Object.values(CREDENTIALS).flatMap(({ contributions }) => contributions),
      ...Object.keys(WITHOUT_ROW),
    ];
    expect([...found].sort()).toEqual(listed.sort());
  });

  it('lacks one for a new kind of credential', () => {
    class CardModule {}
    Module({ providers: [{ provide: AUTH_CREDENTIAL, useValue: {} }] })(CardModule);
    class CardsModule {}
    Module({ imports: [{ module: CardModule }] })(CardsModule);
    const found = new Set<string>();
    contributionsOf(CardsModule, found);
    expect([...found].filter((name) => !hasRow(name))).toEqual(['CardModule AUTH_CREDENTIAL']);
  });

  it('is the one of decision 35', () => {
    const page = readFileSync(new URL('docs/decisions/0035-credentials-and-rules.md', ROOT), 'utf8');
    tablesInMarkdown().forEach((table) => expect(page).toContain(`\n${table}\n\n`));
  });
});

function hasRow(name: string): boolean {
  return (
    name in WITHOUT_ROW ||
    Object.values(CREDENTIALS).some(({ contributions }) =>
      (contributions as readonly string[]).includes(name),
    )
  );
}

function contribution(module: string | undefined, token: unknown): string | undefined {
  const port = PORTS.get(token);
  return port && `${module} ${port}`;
}

type Imported = Type | DynamicModule | undefined;

/** What all entries of all packages export. */
async function modulesOfPackages(): Promise<Imported[]> {
  const folder = new URL('packages/', ROOT);
  const entries = readdirSync(folder)
    .map((name) => new URL(`${name}/package.json`, folder))
    .filter((file) => existsSync(file))
    .flatMap((file) => {
      const { name, exports } = JSON.parse(readFileSync(file, 'utf8')) as { name: string; exports: object };
      return Object.keys(exports)
        .filter((entry) => !entry.endsWith('.json'))
        .map((entry) => `${name}${entry.slice(1)}`);
    });
  const modules: Type[] = [];
  for (const entry of entries) {
    const exported = Object.values((await import(entry)) as object) as unknown[];
    modules.push(...exported.filter((value): value is Type => typeof value === 'function'));
  }
  return modules;
}

/** Adds the contributions of a module, and of those that it imports. */
function contributionsOf(module: Imported, found: Set<string>): void {
  const type = typeof module === 'function' ? module : module?.module;
  if (type === undefined) {
    return;
  }
  const own: Partial<DynamicModule> = typeof module === 'function' ? {} : (module ?? {});
  const listed = <T>(key: 'imports' | 'providers') => [
    ...((Reflect.getMetadata(key, type) ?? []) as T[]),
    ...((own[key] ?? []) as T[]),
  ];
  for (const provider of listed<Provider>('providers')) {
    const name = contribution(type.name, (provider as { provide?: unknown }).provide);
    if (name !== undefined) {
      found.add(name);
    }
  }
  listed<Imported>('imports').forEach((imported) => contributionsOf(imported, found));
}
