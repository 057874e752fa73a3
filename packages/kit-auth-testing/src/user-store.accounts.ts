import {
  type AccountChange,
  AuthErrorCode,
  type AuthUserStore,
  type ListedUser,
  type StoredUser,
  type UserId,
} from 'kit-auth';
import { assertOneOf, assertRefused, assertSame, assertThat, described, shown } from './assertions.js';
import { testRunner } from './test-runner.js';
import type { OptionalUserStoreMethod, SuiteUser } from './user-store.under-test.js';

/** The parts of the suite that these tests need. */
interface Tools {
  has: (...names: OptionalUserStoreMethod[]) => boolean;
  canDisable: boolean;
  store: () => Required<AuthUserStore>;
  create: (fields?: Partial<SuiteUser>) => Promise<StoredUser>;
  find: (user: StoredUser) => Promise<StoredUser>;
  change: <T>(work: (accountChange: AccountChange) => Promise<T>) => Promise<T>;
  nextName: () => string;
  unknownId: () => UserId;
}

const HASH = `$2b$10$${'f'.repeat(53)}`;

/** The methods that accounts of `kit-auth-registration` and `kit-auth-email`, and the commands of `npx kit-auth` need. */
export function describeAccounts(tools: Tools): void {
  const { has, canDisable, store, create, find, change, nextName, unknownId } = tools;
  const { it } = testRunner();
  const found = async (username: string, call: string): Promise<StoredUser> => {
    const user = await store().findByUsername(username);
    assertFound(user, `after ${call}`);
    return user;
  };
  const assertTaken = (call: () => Promise<unknown>, what: string) =>
    assertRefused(call, what, undefined, AuthErrorCode.CONFLICT);

  if (has('createUser')) {
    const insert = (username: string, roles: readonly string[] = []) =>
      change((accountChange) =>
        store().createUser({ username, nickname: 'Zo\u00eb', passwordHash: HASH, roles }, accountChange),
      );

    it('creates an enabled account with a stamp of its own', async () => {
      const names = [nextName(), nextName()] as const;
      const ids = [await insert(names[0]), await insert(names[1])] as const;
      const [user, other] = await Promise.all(names.map((name) => found(name, 'createUser()')));
      const { securityStamp } = user as StoredUser;
      const created = { id: ids[0], username: names[0], passwordHash: HASH, enabled: true, securityStamp };
      assertSame(accountOf(user as StoredUser), created, 'the account after createUser()');
      assertNewStamp(securityStamp, (other as StoredUser).securityStamp, 'a new account', 'another account');
      const loginUser = await store().loadLoginUser(ids[0]);
      const { nickname, superAdmin } = loginUser ?? {};
      const expected = { nickname: 'Zo\u00eb', superAdmin: false };
      assertSame({ nickname, superAdmin }, expected, 'the LoginUser of an account after createUser()');
    });

    it('creates an account without a password, which gets its first one later', async () => {
      const username = nextName();
      const id = await change((accountChange) =>
        store().createUser({ username, nickname: username, roles: [] }, accountChange),
      );
      const user = await found(username, 'createUser() without a passwordHash');
      assertOneOf(
        user.passwordHash,
        [undefined, null, ''],
        'the passwordHash of an account that createUser() has created without one',
      );
      if (has('changePassword')) {
        const update = { passwordHash: HASH, seenStamp: user.securityStamp };
        const isChanged = await change((accountChange) => store().changePassword(id, update, accountChange));
        assertSame(isChanged, true, 'the result of changePassword() for an account without a password');
        const changed = await found(username, 'changePassword()');
        assertSame(changed.passwordHash, HASH, 'the hash after changePassword() for such an account');
        assertNewStamp(changed.securityStamp, user.securityStamp, 'such an account after changePassword()');
      }
    });

    it('creates no second account of a name', async () => {
      const { id, username } = await create();
      await assertTaken(() => insert(username), 'createUser() with a username that is taken');
      const account = await store().findByUsername(username);
      assertSame(account?.id, id, 'the id of the account whose username another one tried to take');
    });

    it('creates one account of a name, however many ask at the same time', async () => {
      const username = nextName();
      const outcomes = await Promise.allSettled(Array.from({ length: 4 }, () => insert(username)));
      const count = outcomes.filter(({ status }) => status === 'fulfilled').length;
      assertSame(
        count,
        1,
        'the number of successful calls, of four calls of createUser() with one username at once,',
      );
    });

    if (has('transaction')) {
      it('creates no account when the work throws', async () => {
        const username = nextName();
        const user = { username, nickname: username, passwordHash: HASH, roles: [] };
        const work = change(async (context) => {
          await store().createUser(user, context);
          throw new Error('broken');
        });
        await assertPassedOn(work);
        const account = await store().findByUsername(username);
        assertSame(
          account,
          undefined,
          'what findByUsername() returns after createUser() in work that has thrown',
        );
      });
    }
  }

  if (has('changeUsername')) {
    const rename = ({ id, securityStamp }: StoredUser, username: string, seenStamp = securityStamp) =>
      change((accountChange) => store().changeUsername(id, { username, seenStamp }, accountChange));

    it('changes a name and the stamp with it', async () => {
      const [user, bystander] = [await create(), await create()];
      const username = nextName();
      assertSame(await rename(user, username), true, 'the result of changeUsername() with the current stamp');
      const changed = await found(username, 'changeUsername()');
      const { securityStamp } = changed;
      const expected = { ...accountOf(user), username, securityStamp };
      assertSame(accountOf(changed), expected, 'the account after changeUsername()');
      assertNewStamp(securityStamp, user.securityStamp, 'the account after changeUsername()');
      const former = await store().findByUsername(user.username);
      assertSame(former, undefined, 'what findByUsername() returns for the former username');
      assertSame(await find(bystander), bystander, 'another account after changeUsername()');
    });

    it('keeps a name that is the current one, with another stamp', async () => {
      const user = await create();
      assertSame(
        await rename(user, user.username),
        true,
        'the result of changeUsername() with the current username',
      );
      const { securityStamp } = await find(user);
      assertNewStamp(
        securityStamp,
        user.securityStamp,
        'an account after changeUsername() to its own username',
      );
    });

    it('changes no name when the stamp is another, or the name is taken', async () => {
      const [user, other] = [await create(), await create()];
      const isChanged = await rename(user, nextName(), `${user.securityStamp}x`);
      assertSame(isChanged, false, 'the result of changeUsername() with another stamp than the current one');
      await assertTaken(() => rename(user, other.username), 'changeUsername() to a username that is taken');
      assertSame(await find(user), user, 'the account after these calls of changeUsername()');
      assertSame(await find(other), other, 'the other account after these calls of changeUsername()');
    });
  }

  if (has('listUsers')) {
    const listAll = async (limit: number) => {
      const listed: ListedUser[] = [];
      for (let page = await store().listUsers({ limit }); page.length > 0;) {
        assertThat(
          page.length <= limit,
          `expected listUsers() to return ${limit} accounts at most, as page.limit says, but there are ${page.length}`,
        );
        listed.push(...page);
        page = await store().listUsers({ after: (page.at(-1) as ListedUser).id, limit });
      }
      return listed;
    };

    it('lists each account once, in pages', async () => {
      const users = [await create(), await create(), await create()];
      const listed = await listAll(7);
      const different = new Set(listed.map(({ id }) => id)).size;
      assertSame(different, listed.length, 'the number of different ids in all pages of listUsers()');
      for (const { id, username } of users) {
        const user = listed.find((listedUser) => listedUser.id === id);
        assertThat(
          user !== undefined,
          `expected listUsers() to list the account ${username}, but no page has it`,
        );
        const { nickname, roles, enabled, lastLoginAt = null } = user;
        const expected = { username, enabled: true, roles: [] };
        assertSame({ username: user.username, enabled, roles }, expected, 'an account in listUsers()');
        assertSame(typeof nickname, 'string', 'the type of nickname in listUsers()');
        assertThat(
          lastLoginAt === null || lastLoginAt instanceof Date,
          `expected lastLoginAt in listUsers() to be a Date, null or absent, but it is ${shown(lastLoginAt)}`,
        );
      }
    });

    if (canDisable) {
      it('lists disabled accounts', async () => {
        const { id } = await create({ enabled: false });
        const { enabled } = (await listAll(100)).find((listed) => listed.id === id) ?? {};
        assertSame(enabled, false, 'enabled of a disabled account in listUsers(), which lists it too,');
      });
    }
  }

  if (has('disableUser')) {
    const disable = (id: UserId) => change((accountChange) => store().disableUser(id, accountChange));

    it('disables an account, with another stamp, and once', async () => {
      const [user, bystander] = [await create(), await create()];
      assertSame(await disable(user.id), true, 'the result of disableUser() for an enabled account');
      const disabled = await find(user);
      const { securityStamp } = disabled;
      const expected = { ...accountOf(user), enabled: false, securityStamp };
      assertSame(accountOf(disabled), expected, 'the account after disableUser()');
      assertNewStamp(securityStamp, user.securityStamp, 'the account after disableUser()');
      const loginUser = await store().loadLoginUser(user.id);
      assertSame(loginUser, undefined, 'what loadLoginUser() returns for a disabled account');
      assertSame(await disable(user.id), false, 'the result of disableUser() for a disabled account');
      const again = (await find(user)).securityStamp;
      assertSame(again, securityStamp, 'the stamp after a second disableUser(), which changes nothing,');
      assertSame(await find(bystander), bystander, 'another account after disableUser()');
    });

    it('disables no account for an unknown id', async () => {
      assertSame(await disable(unknownId()), false, 'the result of disableUser() for an unknown id');
    });

    if (has('transaction')) {
      it('disables no account when the work throws', async () => {
        const user = await create();
        const work = change(async (context) => {
          await store().disableUser(user.id, context);
          throw new Error('broken');
        });
        await assertPassedOn(work);
        assertSame(await find(user), user, 'the account after disableUser() in work that has thrown');
      });
    }
  }

  if (has('enableUser')) {
    const enable = (id: UserId) => change((accountChange) => store().enableUser(id, accountChange));

    it('enables a disabled account, with another stamp, and once', async () => {
      const [user, bystander] = [await create({ enabled: false }), await create({ enabled: false })];
      assertSame(await enable(user.id), true, 'the result of enableUser() for a disabled account');
      const enabled = await find(user);
      const { securityStamp } = enabled;
      const expected = { ...accountOf(user), enabled: true, securityStamp };
      assertSame(accountOf(enabled), expected, 'the account after enableUser()');
      assertNewStamp(securityStamp, user.securityStamp, 'the account after enableUser()');
      const { userId } = (await store().loadLoginUser(user.id)) ?? {};
      assertSame(userId, user.id, 'the id of the user that loadLoginUser() returns after enableUser()');
      assertSame(await enable(user.id), false, 'the result of enableUser() for an enabled account');
      const again = (await find(user)).securityStamp;
      assertSame(again, securityStamp, 'the stamp after a second enableUser(), which changes nothing,');
      assertSame(await find(bystander), bystander, 'another account after enableUser()');
    });

    it('enables no account for an unknown id', async () => {
      assertSame(await enable(unknownId()), false, 'the result of enableUser() for an unknown id');
    });
  }

  if (has('grantsOf')) {
    it('grants nothing for no role, and tells when a role does not exist', async () => {
      const nothing = { superAdmin: false, permissions: [] };
      assertSame(await store().grantsOf([]), nothing, 'the result of grantsOf() for no role');
      for (const code of ['no-such-role', '', '__proto__', 'constructor']) {
        const grants = await store().grantsOf([code]);
        assertSame(
          grants,
          undefined,
          `the result of grantsOf() for a role that does not exist, ${JSON.stringify(code)},`,
        );
      }
    });
  }
}

/** @param when for the message, such as `after createUser()` */
export function assertFound(user: StoredUser | null | undefined, when: string): asserts user {
  assertThat(
    typeof user === 'object' && user !== null,
    `expected findByUsername() to find the account ${when}, but it returned ${shown(user)}`,
  );
}

/** Asserts that a stamp has changed. @param of the owner of the stamp, for the message */
export function assertNewStamp(stamp: string, former: string, of: string, than = 'before'): void {
  assertThat(
    stamp !== '' && stamp !== former,
    `expected ${of} to have another securityStamp than ${than}, but it is ${stamp === '' ? 'empty' : 'the same'}`,
  );
}

/** Asserts that a transaction rejects because its work threw an error with the message `broken`. */
async function assertPassedOn(transaction: Promise<unknown>): Promise<void> {
  const outcome = await transaction.then(() => 'no error', described);
  assertThat(
    outcome.includes('broken'),
    `expected transaction() to reject with the error that its work throws (broken), but it gave ${outcome}`,
  );
}

/** A store may return more members, such as those of a row. */
function accountOf({ id, username, passwordHash, enabled, securityStamp }: StoredUser): StoredUser {
  return { id, username, passwordHash, enabled, securityStamp };
}
