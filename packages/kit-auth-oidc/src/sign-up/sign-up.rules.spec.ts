import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ALL_BUT_DATE, MemoryLogger } from 'test-support';
import type { SignUp, SignUpPolicy } from '../oidc.options.js';
import { SignUpRules } from './sign-up.rules.js';

const IDENTITY = { provider: 'test', address: 'ada@example.com', isVerified: true } as never;
const UNAVAILABLE = { code: 50300 };
const ROLES: Record<string, { superAdmin: boolean; permissions: string[] }> = {
  member: { superAdmin: false, permissions: ['note:read'] },
  manager: { superAdmin: false, permissions: ['note:read', 'auth:user:write'] },
  everything: { superAdmin: false, permissions: ['*'] },
  SUPER_ADMIN: { superAdmin: true, permissions: [] },
};

class Policy implements SignUpPolicy {
  constructor(readonly decide: SignUpPolicy['decide'] = () => ({})) {}
}

class Users {
  asked: unknown[] = [];

  require(what: string, ...methods: string[]): void {
    this.asked.push([what, ...methods]);
  }

  async grantsOf([role = '']: readonly string[]) {
    return ROLES[role];
  }
}

let logs: MemoryLogger;
let users: Users;
beforeEach(() => {
  users = new Users();
  logs = new MemoryLogger();
  Logger.overrideLogger(logs);
});

interface Given {
  signUp?: unknown;
  roles?: string[];
  areKnown?: boolean;
  policy?: SignUpPolicy;
  enabled?: boolean;
}

const policy = (decide: SignUpPolicy['decide']): Given => ({ signUp: Policy, policy: new Policy(decide) });

function rulesOf({
  signUp = 'open',
  roles = [],
  areKnown = true,
  policy: given,
  enabled = true,
}: Given): SignUpRules {
  const moduleRef = {
    get: () => {
      if (given === undefined) {
        throw new Error('unknown');
      }
      return given;
    },
  };
  const core = { enabled, extensionTimeoutMs: 1000 };
  return new SignUpRules(
    users as never,
    { areKnown } as never,
    moduleRef as never,
    { settings: { signUp, roles } } as never,
    core as never,
  );
}

async function started(given: Given): Promise<SignUpRules> {
  const rules = rulesOf(given);
  await rules.onApplicationBootstrap();
  return rules;
}

describe('the start of an application with sign-ups', () => {
  it.each<[string, Given, RegExp]>([
    [
      'where nobody knows whose an address is',
      { areKnown: false },
      /signUp must not be 'open' .* Import KitAuthEmailModule, provide AUTH_ADDRESSES, or use a policy/,
    ],
    [
      'with a policy that no module provides',
      { signUp: Policy },
      /kit\.auth\.oidc\.signUp names the class Policy, which no module provides/,
    ],
    [
      'with a role that does not exist',
      { roles: ['member', 'nobody'] },
      /kit\.auth\.oidc\.roles names the role nobody, which does not exist/,
    ],
    [
      'with a role that makes super administrators',
      { roles: ['SUPER_ADMIN'] },
      /kit\.auth\.oidc\.roles names the role SUPER_ADMIN, which grants everything/,
    ],
    ['with a role of administrators', { roles: ['manager'] }, /role manager, which grants auth:user:write/],
    ['with a role that grants all', { roles: ['everything'] }, /names the role everything, which grants \*/],
  ])('fails %s', async (_how, given, message) => {
    await expect(started(given)).rejects.toThrow(message);
  });

  it('requires a store that creates users, and knows roles if there are any', async () => {
    await started({ roles: ['member'] });
    expect(users.asked).toEqual([
      ['kit.auth.oidc.signUp', 'createUser', 'stampOf'],
      ['kit.auth.oidc.roles', 'grantsOf'],
    ]);
  });

  it.each<[string, Given]>([
    ['without sign-ups', { signUp: 'off', areKnown: false, roles: ['nobody'] }],
    ['while kit-auth is off', { areKnown: false, enabled: false }],
  ])('requires nothing %s', async (_when, given) => {
    await started(given);
    expect(users.asked).toEqual([]);
  });
});

describe('the decision about an unknown identity', () => {
  it.each<[string, Given, object]>([
    ['is yes, with the roles of the options', { roles: ['member'] }, { roles: ['member'] }],
    ['is the one of a policy', policy(() => ({ nickname: 'A' })), { nickname: 'A' }],
    ['may take time', policy(async () => ({ roles: ['x'] })), { roles: ['x'] }],
  ])('%s', async (_what, given, decision) => {
    expect(await (await started(given)).decide(IDENTITY)).toEqual(decision);
  });

  it('gets the identity to decide about', async () => {
    const decide = jest.fn<(identity: unknown) => SignUp | undefined>(() => ({}));
    await (await started(policy(decide))).decide(IDENTITY);
    expect(decide).toHaveBeenCalledWith(IDENTITY);
  });

  const failing = () => {
    throw new Error('no database');
  };
  it.each<[string, Given, object]>([
    ['no, without sign-ups', { signUp: 'off' }, { code: 40114, reason: 'no-account' }],
    ['no', policy(() => undefined), { code: 40114, reason: 'not-allowed' }],
    ['null', policy(() => null as never), { code: 40114, reason: 'not-allowed' }],
    ['an error', policy(failing), UNAVAILABLE],
    ['a rejection', policy(async () => failing()), UNAVAILABLE],
  ])('is refused with %s', async (_what, given, refusal) => {
    await expect((await started(given)).decide(IDENTITY)).rejects.toMatchObject(refusal);
    expect(logs.all().includes('Policy.decide() failed')).toBe(refusal === UNAVAILABLE);
  });

  it('is refused when it does not come in time', async () => {
    jest.useFakeTimers({ doNotFake: [...ALL_BUT_DATE.filter((name) => !/Timeout$/.test(name)), 'Date'] });
    const rules = await started(policy(() => new Promise(() => undefined)));
    const refused = expect(rules.decide(IDENTITY)).rejects.toMatchObject(UNAVAILABLE);
    jest.advanceTimersByTime(1000);
    await refused;
    jest.useRealTimers();
  });
});

describe('the roles of a new account', () => {
  it.each<[string, SignUp, readonly string[]]>([
    ['none', {}, []],
    ['those of the decision', { roles: ['member'] }, ['member']],
  ])('are %s', async (_what, decision, roles) => {
    expect(await rulesOf({}).rolesOf(decision)).toEqual(roles);
  });

  it.each(['SUPER_ADMIN', 'manager', 'everything', 'nobody'])(
    'are never %s, and the log says so',
    async (role) => {
      await expect(rulesOf({}).rolesOf({ roles: ['member', role] })).rejects.toMatchObject(UNAVAILABLE);
      expect(logs.all()).toContain(`[oidc] a sign-up is not possible: it names the role ${role}, which `);
    },
  );
});
