import assert from 'node:assert/strict';
import {
  type AccountChange,
  type AuthAction,
  AuthErrorCode,
  AuthException,
  type AuthUserStore,
  type StoredUser,
  type UserId,
} from 'kit-auth';
import { assertLoginUser } from './assertions.js';
import { describeAccounts } from './user-store.accounts.js';
import type {
  OptionalUserStoreMethod,
  SuiteUser,
  UserStoreTraits,
  UserStoreUnderTest,
} from './user-store.under-test.js';
import { testRunner } from './test-runner.js';

/** Bcrypt hashes, which are no longer than the columns of any store. The suite computes none. */
const HASHES = ['a', 'b', 'c', 'd', 'e'].map((letter) => `$2b$10$${letter.repeat(53)}`) as [
  string,
  ...string[],
];

let lastName = Math.trunc(Math.random() * 1_000_000_000);

/**
 * Defines the tests that every `AuthUserStore` has to pass.
 *
 * @param underTest returns the store, ready to use. It is called in tests, not before.
 * @example
 * ```ts
 * const users = new MemoryUsers();
 *
 * describeUserStore('memory', { methods: ['stampOf', 'noteLogin', 'changePassword'] }, () => ({
 *   store: users,
 *   createUser: ({ username, passwordHash, enabled }) => users.insert({ username, passwordHash, enabled }),
 * }));
 * ```
 */
export function describeUserStore(
  name: string,
  { methods, canDisable = true }: UserStoreTraits,
  underTest: () => UserStoreUnderTest,
): void {
  const { describe, it } = testRunner();
  /** The store as one that has every method: what it lacks is not called. */
  const store = () => underTest().store as Required<AuthUserStore>;
  const idType = () => underTest().store.idType ?? 'number';
  const has = (...names: OptionalUserStoreMethod[]) => names.every((method) => methods.includes(method));
  const create = async (fields: Partial<SuiteUser> = {}): Promise<StoredUser> => {
    const username = fields.username ?? `Suite-${++lastName}`;
    const user = { username, passwordHash: HASHES[0], enabled: true, ...fields };
    const id = await underTest().createUser(user);
    const found = await store().findByUsername(username);
    assert.ok(found, 'the account that was just created is not found');
    assert.equal(found.id, id);
    return found;
  };
  const nextName = () => `Suite-${++lastName}`;
  const find = async ({ username }: StoredUser) => (await store().findByUsername(username)) as StoredUser;
  const unknownId = () =>
    (idType() === 'string' ? '00000000-0000-4000-8000-000000000000' : 2_147_483_646) as UserId;
  /** In a transaction where the store has them. */
  const change = <T>(work: (accountChange: AccountChange) => Promise<T>): Promise<T> =>
    has('transaction') ? store().transaction(ACTION, work) : work(WITHOUT_TRANSACTION);
  const changePassword = (user: StoredUser, passwordHash: string, seenStamp = user.securityStamp) =>
    change((accountChange) => store().changePassword(user.id, { passwordHash, seenStamp }, accountChange));

  describe(`the user store ${name}`, () => {
    it('has the methods that it declares', async () => {
      const all: OptionalUserStoreMethod[] = [
        ...(['stampOf', 'noteLogin', 'renewHash', 'changePassword', 'ensureAdministrator'] as const),
        ...(['slowestHash', 'transaction', 'createUser', 'changeUsername', 'grantsOf'] as const),
        ...(['listUsers', 'disableUser', 'enableUser'] as const),
      ];
      const present = all.filter((method) => method in underTest().store);
      assert.deepEqual([...present], [...all.filter((method) => methods.includes(method))]);
      assert.ok(['number', 'string', undefined].includes(underTest().store.idType));
    });

    it('finds an account by its name', async () => {
      const user = await create();
      assert.equal(typeof user.id, idType());
      assert.ok(user.id !== ('' as never));
      assert.equal(user.passwordHash, HASHES[0]);
      assert.equal(user.enabled, true);
      assert.equal(typeof user.securityStamp, 'string');
      const loginUser = await store().loadLoginUser(user.id);
      assertLoginUser(loginUser, idType());
      assert.deepEqual([loginUser?.userId, loginUser?.username], [user.id, user.username]);
      assert.equal(loginUser?.superAdmin, false);
    });

    it('finds nobody by another name, whatever the database takes for equal', async () => {
      const { username } = await create({ username: `Zo\u00eb-${++lastName}` });
      for (const other of [
        ...[username.toLowerCase(), username.toUpperCase(), username.replace('\u00eb', 'e')],
        ...[username.normalize('NFD'), `${username} `, ` ${username}`, `${username}\t`, `${username}\u00a0`],
        ...[`${username}\u200d`, `${username}%`, username.replace('-', '_'), `${username.slice(0, -1)}%`],
      ]) {
        assert.equal(await store().findByUsername(other), undefined, `found by ${JSON.stringify(other)}`);
      }
    });

    it('finds nobody by a text that is no name, and does not reject', async () => {
      for (const text of [
        ...[
          '',
          ' ',
          '%',
          '_',
          '*',
          '\\',
          "' OR '1'='1",
          '"; DROP TABLE users; --',
          '$ne',
          '__proto__',
          'constructor',
        ],
        ...[
          '\0',
          'a\0b',
          '\ud800',
          'a\udc00b',
          '\n',
          '\u202e',
          '\ud83d\ude80',
          'x'.repeat(255),
          'x'.repeat(10_000),
        ],
      ]) {
        const name = JSON.stringify(text.slice(0, 80));
        const found = await store()
          .findByUsername(text)
          .catch((error: unknown) => assert.fail(`findByUsername(${name}) rejects: ${String(error)}`));
        assert.equal(found, undefined, `found by ${name}`);
      }
    });

    if (canDisable) {
      it('finds a disabled account, and loads no user of it', async () => {
        const user = await create({ enabled: false });
        assert.equal(user.enabled, false);
        assert.equal(await store().loadLoginUser(user.id), undefined);
        if (has('stampOf')) {
          assert.equal(await store().stampOf(user.id), undefined);
        }
      });
    }

    it('knows no user of an unknown id', async () => {
      assert.equal(await store().loadLoginUser(unknownId()), undefined);
      if (has('stampOf')) {
        assert.equal(await store().stampOf(unknownId()), undefined);
      }
      if (has('noteLogin')) {
        assert.equal(await store().noteLogin(unknownId(), ''), false);
      }
      if (has('renewHash')) {
        await store().renewHash(unknownId(), HASHES[0], HASHES[1] as string);
      }
      if (has('changePassword')) {
        const update = { passwordHash: HASHES[0], seenStamp: '' };
        assert.equal(await change((it) => store().changePassword(unknownId(), update, it)), false);
      }
    });

    if (has('stampOf')) {
      it('tells the same stamp by name and by id', async () => {
        const user = await create();
        assert.equal(await store().stampOf(user.id), user.securityStamp);
      });
    }

    if (has('noteLogin')) {
      it('notes a login, unless the stamp is another', async () => {
        const user = await create();
        assert.equal(await store().noteLogin(user.id, user.securityStamp), true);
        assert.equal(await store().noteLogin(user.id, `${user.securityStamp}x`), false);
        assert.equal((await find(user)).securityStamp, user.securityStamp);
      });
    }

    if (has('renewHash')) {
      it('replaces the given hash and no other, and leaves the stamp as it is', async () => {
        const user = await create();
        const [from, to, other] = HASHES as unknown as [string, string, string];
        await store().renewHash(user.id, from, to);
        await store().renewHash(user.id, from, other);
        assert.deepEqual({ ...(await find(user)) }, { ...user, passwordHash: to });
      });
    }

    if (has('changePassword')) {
      describePasswordChange();
    }

    if (has('transaction')) {
      describeTransaction();
    }

    if (has('slowestHash')) {
      it('tells a stored hash, or none', async () => {
        await create();
        assert.ok(['string', 'undefined'].includes(typeof (await store().slowestHash())));
      });
    }

    if (has('ensureAdministrator')) {
      describeAdministrator();
    }

    describeAccounts({ has, canDisable, store, create, find, change, nextName, unknownId });
  });

  function describePasswordChange(): void {
    it('changes a password and the stamp with it', async () => {
      const [user, bystander] = [await create(), await create()];
      assert.equal(await changePassword(user, HASHES[1] as string), true);
      const changed = await find(user);
      assert.equal(changed.passwordHash, HASHES[1]);
      assert.ok(changed.securityStamp !== user.securityStamp && changed.securityStamp !== '');
      assert.deepEqual({ ...(await find(bystander)) }, { ...bystander });
      if (has('stampOf')) {
        assert.equal(await store().stampOf(user.id), changed.securityStamp);
      }
      if (has('noteLogin')) {
        assert.equal(await store().noteLogin(user.id, user.securityStamp), false);
      }
    });

    it('changes no password when the stamp is another', async () => {
      const user = await create();
      assert.equal(await changePassword(user, HASHES[1] as string, `${user.securityStamp}x`), false);
      assert.deepEqual({ ...(await find(user)) }, { ...user });
    });

    it('lets one of many parallel changes win', async () => {
      const user = await create();
      const outcomes = await Promise.all(HASHES.slice(1).map((hash) => changePassword(user, hash)));
      assert.equal(outcomes.filter(Boolean).length, 1);
      assert.equal((await find(user)).passwordHash, HASHES[1 + outcomes.indexOf(true)]);
    });
  }

  function describeTransaction(): void {
    it('returns what the work returns, and runs it in the context of the action', async () => {
      const wasRun: unknown[] = [];
      const action: AuthAction = {
        ...ACTION,
        run: (fn) => {
          wasRun.push(true);
          return fn();
        },
      };
      assert.equal(await store().transaction(action, async () => 'result'), 'result');
      assert.equal(wasRun.length, 1);
    });

    it('keeps an event of a change, with the transaction that it belongs to', async () => {
      const kept: unknown[] = [];
      const action: AuthAction = {
        ...ACTION,
        keep: (event, transaction) => {
          kept.push(transaction);
          return ACTION.keep(event, transaction);
        },
      };
      let own: unknown;
      await store().transaction(action, async (accountChange) => {
        own = accountChange.transaction;
        await accountChange.note({ type: 'password-changed' });
      });
      assert.equal(kept.length, 1);
      assert.equal(kept[0], own);
    });

    if (!has('changePassword')) {
      return;
    }

    it('rolls back when the work throws, whatever it throws', async () => {
      const refusal = new AuthException(AuthErrorCode.CONFLICT);
      for (const error of [new Error('broken'), refusal]) {
        for (const isNoted of [false, true]) {
          const user = await create();
          const work = store().transaction(ACTION, async (accountChange) => {
            const update = { passwordHash: HASHES[1] as string, seenStamp: user.securityStamp };
            assert.equal(await store().changePassword(user.id, update, accountChange), true);
            if (isNoted) {
              await accountChange.note({ type: 'password-changed' });
            }
            throw error;
          });
          await assert.rejects(work, (thrown) => thrown === error);
          assert.deepEqual({ ...(await find(user)) }, { ...user }, `committed after ${error.name}`);
        }
      }
    });

    it('rolls back when an event is not kept', async () => {
      const user = await create();
      const keep = async (): Promise<never> => {
        throw new AuthException(AuthErrorCode.AUTH_UNAVAILABLE);
      };
      await assert.rejects(
        store().transaction({ ...ACTION, keep }, async (accountChange) => {
          const update = { passwordHash: HASHES[1] as string, seenStamp: user.securityStamp };
          await store().changePassword(user.id, update, accountChange);
          await accountChange.note({ type: 'password-changed' });
        }),
      );
      assert.deepEqual({ ...(await find(user)) }, { ...user });
    });
  }

  function describeAdministrator(): void {
    it('creates one administrator, however many ask at the same time', async () => {
      const seed = {
        username: `Suite-${++lastName}`,
        hash: async () => HASHES[2] as string,
        verify: async (hash: string) => hash === HASHES[2],
      };
      const outcomes = await Promise.all(Array.from({ length: 4 }, () => store().ensureAdministrator(seed)));
      assert.ok(outcomes.filter(({ outcome }) => outcome === 'created').length <= 1);
      assert.ok(outcomes.every(({ outcome }) => outcome !== 'refused'));
      const again = await store().ensureAdministrator(seed);
      assert.equal(again.outcome, 'present');
      const hashes = [...outcomes, again].map((it) =>
        it.outcome === 'refused' ? undefined : it.passwordHash,
      );
      assert.equal(new Set(hashes).size, 1);
      if (outcomes.some(({ outcome }) => outcome === 'created')) {
        const user = (await store().findByUsername(seed.username)) as StoredUser;
        assert.equal(user.passwordHash, HASHES[2]);
        assert.equal((await store().loadLoginUser(user.id))?.superAdmin, true);
      }
    });

    it('makes no administrator of an account with another password', async () => {
      const { id, username } = await create();
      const seeded = await store().ensureAdministrator({
        username,
        hash: async () => HASHES[2] as string,
        verify: async () => false,
      });
      assert.ok(['present', 'refused'].includes(seeded.outcome));
      assert.equal((await store().loadLoginUser(id))?.superAdmin, false);
    });
  }
}

/** What somebody does who is not logged in. */
const ACTION: AuthAction = {
  user: undefined,
  run: (fn) => fn(),
  note: () => undefined,
  keep: async ({ type, subjectId = null, subject = null, success = true, detail = null }) => ({
    ...{ type, subjectId, subject, success, detail, at: new Date() },
    ...{ actorId: null, actor: null, address: null },
  }),
};

const WITHOUT_TRANSACTION: AccountChange = { transaction: undefined, note: async () => undefined };
