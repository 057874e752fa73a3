import assert from 'node:assert/strict';
import {
  type AccountChange,
  AuthErrorCode,
  AuthException,
  type AuthUserStore,
  type ListedUser,
  type StoredUser,
  type UserId,
} from 'kit-auth';
import { testRunner } from './test-runner.js';
import type { OptionalUserStoreMethod, SuiteUser } from './user-store.under-test.js';

/** What these tests need of the suite. */
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
  const isTaken = (error: unknown) =>
    error instanceof AuthException && error.code === AuthErrorCode.CONFLICT
      ? true
      : assert.fail(String(error));

  if (has('createUser')) {
    const insert = (username: string, roles: readonly string[] = []) =>
      change((it) => store().createUser({ username, nickname: 'Zo\u00eb', passwordHash: HASH, roles }, it));

    it('creates an enabled account with a stamp of its own', async () => {
      const names = [nextName(), nextName()] as const;
      const ids = [await insert(names[0]), await insert(names[1])] as const;
      const [user, other] = await Promise.all(names.map((name) => store().findByUsername(name)));
      assert.ok(user && other);
      const { securityStamp } = user;
      assert.deepEqual(accountOf(user), {
        id: ids[0],
        username: names[0],
        passwordHash: HASH,
        enabled: true,
        securityStamp,
      });
      assert.ok(securityStamp !== '' && securityStamp !== other.securityStamp);
      const loginUser = await store().loadLoginUser(user.id);
      assert.ok(loginUser);
      assert.deepEqual([loginUser.nickname, loginUser.superAdmin], ['Zo\u00eb', false]);
    });

    it('creates no second account of a name', async () => {
      const { id, username } = await create();
      await assert.rejects(insert(username), isTaken);
      assert.equal((await store().findByUsername(username))?.id, id);
    });

    it('creates one account of a name, however many ask at the same time', async () => {
      const username = nextName();
      const outcomes = await Promise.allSettled(Array.from({ length: 4 }, () => insert(username)));
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    });

    if (has('transaction')) {
      it('creates no account when the work throws', async () => {
        const username = nextName();
        const user = { username, nickname: username, passwordHash: HASH, roles: [] };
        const work = change(async (it) => {
          await store().createUser(user, it);
          throw new Error('broken');
        });
        await assert.rejects(work, /broken/);
        assert.equal(await store().findByUsername(username), undefined);
      });
    }
  }

  if (has('changeUsername')) {
    const rename = ({ id, securityStamp }: StoredUser, username: string, seenStamp = securityStamp) =>
      change((it) => store().changeUsername(id, { username, seenStamp }, it));

    it('changes a name and the stamp with it', async () => {
      const [user, bystander] = [await create(), await create()];
      const username = nextName();
      assert.equal(await rename(user, username), true);
      const changed = await store().findByUsername(username);
      assert.ok(changed);
      const { securityStamp } = changed;
      assert.deepEqual(accountOf(changed), { ...accountOf(user), username, securityStamp });
      assert.ok(securityStamp !== user.securityStamp && securityStamp !== '');
      assert.equal(await store().findByUsername(user.username), undefined);
      assert.deepEqual({ ...(await find(bystander)) }, { ...bystander });
    });

    it('keeps a name that is the current one, with another stamp', async () => {
      const user = await create();
      assert.equal(await rename(user, user.username), true);
      assert.notEqual((await find(user)).securityStamp, user.securityStamp);
    });

    it('changes no name when the stamp is another, or the name is taken', async () => {
      const [user, other] = [await create(), await create()];
      assert.equal(await rename(user, nextName(), `${user.securityStamp}x`), false);
      await assert.rejects(rename(user, other.username), isTaken);
      assert.deepEqual([{ ...(await find(user)) }, { ...(await find(other)) }], [{ ...user }, { ...other }]);
    });
  }

  if (has('listUsers')) {
    const listAll = async (limit: number) => {
      const listed: ListedUser[] = [];
      for (let page = await store().listUsers({ limit }); page.length > 0;) {
        assert.ok(page.length <= limit);
        listed.push(...page);
        page = await store().listUsers({ after: (page.at(-1) as ListedUser).id, limit });
      }
      return listed;
    };

    it('lists each account once, in pages', async () => {
      const users = [await create(), await create(), await create()];
      const listed = await listAll(7);
      assert.equal(new Set(listed.map(({ id }) => id)).size, listed.length);
      for (const { id, username } of users) {
        const user = listed.find((it) => it.id === id);
        assert.ok(user, `${username} is not listed`);
        const { nickname, roles, lastLoginAt = null } = user;
        assert.deepEqual([user.username, user.enabled, [...roles]], [username, true, []]);
        assert.equal(typeof nickname, 'string');
        assert.ok(lastLoginAt === null || lastLoginAt instanceof Date);
      }
    });

    if (canDisable) {
      it('lists disabled accounts', async () => {
        const { id } = await create({ enabled: false });
        assert.equal((await listAll(100)).find((it) => it.id === id)?.enabled, false);
      });
    }
  }

  if (has('disableUser')) {
    const disable = (id: UserId) => change((it) => store().disableUser(id, it));

    it('disables an account, with another stamp, and once', async () => {
      const [user, bystander] = [await create(), await create()];
      assert.equal(await disable(user.id), true);
      const disabled = await find(user);
      const { securityStamp } = disabled;
      assert.deepEqual(accountOf(disabled), { ...accountOf(user), enabled: false, securityStamp });
      assert.ok(securityStamp !== user.securityStamp && securityStamp !== '');
      assert.equal(await store().loadLoginUser(user.id), undefined);
      assert.equal(await disable(user.id), false);
      assert.equal((await find(user)).securityStamp, securityStamp);
      assert.deepEqual({ ...(await find(bystander)) }, { ...bystander });
    });

    it('disables nobody with an unknown id', async () => {
      assert.equal(await disable(unknownId()), false);
    });

    if (has('transaction')) {
      it('disables no account when the work throws', async () => {
        const user = await create();
        const work = change(async (it) => {
          await store().disableUser(user.id, it);
          throw new Error('broken');
        });
        await assert.rejects(work, /broken/);
        assert.deepEqual({ ...(await find(user)) }, { ...user });
      });
    }
  }

  if (has('enableUser')) {
    const enable = (id: UserId) => change((it) => store().enableUser(id, it));

    it('enables a disabled account, with another stamp, and once', async () => {
      const [user, bystander] = [await create({ enabled: false }), await create({ enabled: false })];
      assert.equal(await enable(user.id), true);
      const enabled = await find(user);
      const { securityStamp } = enabled;
      assert.deepEqual(accountOf(enabled), { ...accountOf(user), enabled: true, securityStamp });
      assert.ok(securityStamp !== user.securityStamp && securityStamp !== '');
      assert.ok(await store().loadLoginUser(user.id));
      assert.equal(await enable(user.id), false);
      assert.equal((await find(user)).securityStamp, securityStamp);
      assert.deepEqual({ ...(await find(bystander)) }, { ...bystander });
    });

    it('enables nobody with an unknown id', async () => {
      assert.equal(await enable(unknownId()), false);
    });
  }

  if (has('grantsOf')) {
    it('grants nothing for no role, and tells when a role does not exist', async () => {
      assert.deepEqual({ ...(await store().grantsOf([])) }, { superAdmin: false, permissions: [] });
      for (const code of ['no-such-role', '', '__proto__', 'constructor']) {
        assert.equal(await store().grantsOf([code]), undefined, `knows the role ${JSON.stringify(code)}`);
      }
    });
  }
}

/** A store may return more members, such as those of a row. */
function accountOf({ id, username, passwordHash, enabled, securityStamp }: StoredUser): StoredUser {
  return { id, username, passwordHash, enabled, securityStamp };
}
