import {
  type AccountChange,
  type AuthAction,
  AuthErrorCode,
  AuthException,
  type AuthUserStore,
  type StoredUser,
  type UserId,
} from 'kit-auth';
import {
  assertAccepted,
  assertLoginUser,
  assertOneOf,
  assertSame,
  assertThat,
  described,
  shown,
} from './assertions.js';
import { assertFound, assertNewStamp, describeAccounts } from './user-store.accounts.js';
import type {
  OptionalUserStoreMethod,
  SuiteUser,
  UserStoreTraits,
  UserStoreUnderTest,
} from './user-store.under-test.js';
import { testRunner } from './test-runner.js';

/** Bcrypt hashes, which fit the columns of any store. The suite computes none itself. */
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
  /** The store, typed as if it had every method. Methods that it lacks are not called. */
  const store = () => underTest().store as Required<AuthUserStore>;
  const idType = () => underTest().store.idType ?? 'number';
  const has = (...names: OptionalUserStoreMethod[]) => names.every((method) => methods.includes(method));
  const create = async (fields: Partial<SuiteUser> = {}): Promise<StoredUser> => {
    const username = fields.username ?? `Suite-${++lastName}`;
    const user = { username, passwordHash: HASHES[0], enabled: true, ...fields };
    const id = await underTest().createUser(user);
    const found = await store().findByUsername(username);
    assertFound(found, `${username}, which createUser() of the suite has just created`);
    assertSame(
      found.id,
      id,
      'the id that findByUsername() returns, which is that of createUser() of the suite,',
    );
    return found;
  };
  const nextName = () => `Suite-${++lastName}`;
  const find = async ({ username }: StoredUser): Promise<StoredUser> => {
    const found = await store().findByUsername(username);
    assertFound(found, `${username}, which it found before`);
    return found;
  };
  const unknownId = () =>
    (idType() === 'string' ? '00000000-0000-4000-8000-000000000000' : 2_147_483_646) as UserId;
  /** Runs work in a transaction, if the store has them. */
  const change = <T>(work: (accountChange: AccountChange) => Promise<T>): Promise<T> =>
    has('transaction') ? store().transaction(ACTION, work) : work(WITHOUT_TRANSACTION);
  const changePassword = (user: StoredUser, passwordHash: string, seenStamp = user.securityStamp) =>
    change((accountChange) => store().changePassword(user.id, { passwordHash, seenStamp }, accountChange));

  describe(`the user store ${name}`, () => {
    it('has the methods that it declares', async () => {
      const all: OptionalUserStoreMethod[] = [
        'stampOf',
        'noteLogin',
        'renewHash',
        'changePassword',
        'ensureAdministrator',
        'slowestHash',
        'transaction',
        'createUser',
        'changeUsername',
        'grantsOf',
        'listUsers',
        'disableUser',
        'enableUser',
      ];
      const present = all.filter((method) => method in underTest().store);
      const declared = all.filter((method) => methods.includes(method));
      assertSame(present, declared, 'the optional methods of the store, as the suite was told,');
      assertOneOf(underTest().store.idType, ['number', 'string', undefined], 'idType of the store');
    });

    it('finds an account by its name', async () => {
      const user = await create();
      assertSame(
        typeof user.id,
        idType(),
        'the type of the id that findByUsername() returns, as idType says,',
      );
      assertThat(
        user.id !== ('' as never),
        'expected an id that is not empty, but findByUsername() returned one',
      );
      const { passwordHash, enabled } = user;
      const expected = { passwordHash: HASHES[0], enabled: true };
      assertSame({ passwordHash, enabled }, expected, 'the account that findByUsername() returns');
      assertSame(typeof user.securityStamp, 'string', 'the type of securityStamp');
      const loginUser = await store().loadLoginUser(user.id);
      assertLoginUser(loginUser, idType());
      const { userId, username, superAdmin } = loginUser;
      const loaded = { userId: user.id, username: user.username, superAdmin: false };
      assertSame(
        { userId, username, superAdmin },
        loaded,
        'the user that loadLoginUser() returns for an account',
      );
    });

    it('finds no account by another name that the database may treat as equal', async () => {
      const { username } = await create({ username: `Zo\u00eb-${++lastName}` });
      for (const other of [
        username.toLowerCase(),
        username.toUpperCase(),
        username.replace('\u00eb', 'e'),
        username.normalize('NFD'),
        `${username} `,
        ` ${username}`,
        `${username}\t`,
        `${username}\u00a0`,
        `${username}\u200d`,
        `${username}%`,
        username.replace('-', '_'),
        `${username.slice(0, -1)}%`,
      ]) {
        const found = await store().findByUsername(other);
        const what = `what findByUsername() returns for ${JSON.stringify(other)} where ${JSON.stringify(username)} exists`;
        assertSame(found, undefined, `${what} (names are compared exactly, case included)`);
      }
    });

    it('finds no account by a string that is not a name, and does not reject', async () => {
      for (const text of [
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
        '\0',
        'a\0b',
        '\ud800',
        'a\udc00b',
        '\n',
        '\u202e',
        '\ud83d\ude80',
        'x'.repeat(255),
        'x'.repeat(10_000),
      ]) {
        const name = JSON.stringify(text.slice(0, 80));
        const found = await assertAccepted(() => store().findByUsername(text), `findByUsername(${name})`);
        assertSame(found, undefined, `what findByUsername(${name}) returns`);
      }
    });

    if (canDisable) {
      it('finds a disabled account, but does not load its user', async () => {
        const user = await create({ enabled: false });
        assertSame(user.enabled, false, 'enabled of a disabled account that findByUsername() returns');
        const loginUser = await store().loadLoginUser(user.id);
        assertSame(loginUser, undefined, 'what loadLoginUser() returns for a disabled account');
        if (has('stampOf')) {
          const stamp = await store().stampOf(user.id);
          assertSame(stamp, undefined, 'what stampOf() returns for a disabled account');
        }
      });
    }

    it('loads no user for an unknown id', async () => {
      const loginUser = await store().loadLoginUser(unknownId());
      assertSame(loginUser, undefined, 'what loadLoginUser() returns for an unknown id');
      if (has('stampOf')) {
        assertSame(await store().stampOf(unknownId()), undefined, 'what stampOf() returns for an unknown id');
      }
      if (has('noteLogin')) {
        assertSame(
          await store().noteLogin(unknownId(), ''),
          false,
          'the result of noteLogin() for an unknown id',
        );
      }
      if (has('renewHash')) {
        const renew = () => store().renewHash(unknownId(), HASHES[0], HASHES[1] as string);
        await assertAccepted(renew, 'renewHash() for an unknown id');
      }
      if (has('changePassword')) {
        const update = { passwordHash: HASHES[0], seenStamp: '' };
        const isChanged = await change((accountChange) =>
          store().changePassword(unknownId(), update, accountChange),
        );
        assertSame(isChanged, false, 'the result of changePassword() for an unknown id');
      }
    });

    if (has('requestUser')) {
      it('has what request.user is for a user, and nothing for an unknown id', async () => {
        const user = await create();
        const loginUser = await store().loadLoginUser(user.id);
        assertLoginUser(loginUser, idType());
        const found: unknown = await store().requestUser(user.id, loginUser);
        assertThat(
          typeof found === 'object' && found !== null,
          `expected requestUser() to return an object for a user, and not ${shown(found)}`,
        );
        const unknown = { ...loginUser, userId: unknownId() };
        const none = (await store().requestUser(unknown.userId, unknown)) ?? undefined;
        assertSame(none, undefined, 'what requestUser() returns for an unknown id');
      });
    }

    if (has('usernameOf')) {
      it('tells the username of an account, enabled or not, and none for an unknown id', async () => {
        for (const enabled of canDisable ? [true, false] : [true]) {
          const { id, username } = await create({ enabled });
          const what = `what usernameOf() returns for ${enabled ? 'an enabled' : 'a disabled'} account`;
          assertSame(await store().usernameOf(id), username, what);
        }
        const none = (await store().usernameOf(unknownId())) ?? undefined;
        assertSame(none, undefined, 'what usernameOf() returns for an unknown id');
      });
    }

    if (has('isUsernameTaken')) {
      it('tells whether an account other than the given one has a username, also in a change', async () => {
        const { id, username } = await create();
        const isTaken = async (name: string, exceptId?: UserId) => [
          await store().isUsernameTaken(name, exceptId),
          await change((accountChange) => store().isUsernameTaken(name, exceptId, accountChange)),
        ];
        const what = 'what isUsernameTaken() returns outside of a change and in one, for';
        assertSame(await isTaken(username), [true, true], `${what} a username of an account`);
        assertSame(await isTaken(username, id), [false, false], `${what} the username of the given account`);
        assertSame(await isTaken(nextName()), [false, false], `${what} a username that nobody has`);
      });
    }

    if (has('stampOf')) {
      it('tells the same stamp by name and by id', async () => {
        const user = await create();
        assertSame(await store().stampOf(user.id), user.securityStamp, 'what stampOf() returns for a user');
        const inChange = await change((accountChange) => store().stampOf(user.id, accountChange));
        assertSame(inChange, user.securityStamp, 'what stampOf() returns for a user in a change');
      });
    }

    if (has('renewStamp')) {
      it('renews the stamp of a user, and of no other', async () => {
        const [user, bystander] = [await create(), await create()];
        const renewed = await change((accountChange) => store().renewStamp(user.id, accountChange));
        const { securityStamp } = await find(user);
        assertSame(renewed, securityStamp, 'what renewStamp() returns, which is the new stamp,');
        assertNewStamp(securityStamp, user.securityStamp, 'an account after renewStamp()');
        assertSame(await find(bystander), bystander, 'another account after renewStamp()');
      });
    }

    if (has('noteLogin')) {
      it('notes a login, unless the stamp is another', async () => {
        const user = await create();
        const isNoted = await store().noteLogin(user.id, user.securityStamp);
        assertSame(isNoted, true, 'the result of noteLogin() with the current stamp');
        const isNotedAgain = await store().noteLogin(user.id, `${user.securityStamp}x`);
        assertSame(isNotedAgain, false, 'the result of noteLogin() with another stamp than the current one');
        const { securityStamp } = await find(user);
        assertSame(
          securityStamp,
          user.securityStamp,
          'the stamp after noteLogin(), which leaves it as it is,',
        );
      });
    }

    if (has('renewHash')) {
      it('replaces the given hash and no other, and leaves the stamp as it is', async () => {
        const user = await create();
        const [from, to, other] = HASHES as unknown as [string, string, string];
        await store().renewHash(user.id, from, to);
        await store().renewHash(user.id, from, other);
        const expected = { ...user, passwordHash: to };
        assertSame(
          await find(user),
          expected,
          'the account after renewHash() from the stored hash, then from another',
        );
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
        assertOneOf(
          typeof (await store().slowestHash()),
          ['string', 'undefined'],
          'the type that slowestHash() returns',
        );
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
      const isChanged = await changePassword(user, HASHES[1] as string);
      assertSame(isChanged, true, 'the result of changePassword() with the current stamp');
      const changed = await find(user);
      assertSame(changed.passwordHash, HASHES[1], 'the hash after changePassword()');
      assertNewStamp(changed.securityStamp, user.securityStamp, 'an account after changePassword()');
      assertSame(await find(bystander), bystander, 'another account after changePassword()');
      if (has('stampOf')) {
        const stamp = await store().stampOf(user.id);
        assertSame(stamp, changed.securityStamp, 'what stampOf() returns after changePassword()');
      }
      if (has('noteLogin')) {
        const isNoted = await store().noteLogin(user.id, user.securityStamp);
        assertSame(isNoted, false, 'the result of noteLogin() with the stamp from before changePassword()');
      }
    });

    it('changes no password when the stamp is another', async () => {
      const user = await create();
      const isChanged = await changePassword(user, HASHES[1] as string, `${user.securityStamp}x`);
      assertSame(isChanged, false, 'the result of changePassword() with another stamp than the current one');
      assertSame(await find(user), user, 'the account after changePassword() with another stamp');
    });

    it('lets one of many parallel changes win', async () => {
      const user = await create();
      const outcomes = await Promise.all(HASHES.slice(1).map((hash) => changePassword(user, hash)));
      const calls = `${outcomes.length} calls of changePassword() with one stamp at once`;
      assertSame(outcomes.filter(Boolean).length, 1, `the number of calls that return true, of ${calls},`);
      const { passwordHash } = await find(user);
      const winning = HASHES[1 + outcomes.indexOf(true)];
      assertSame(
        passwordHash,
        winning,
        `the hash after ${calls}, which is that of the call that returned true,`,
      );
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
      const result = await store().transaction(action, async () => 'result');
      assertSame(result, 'result', 'what transaction() returns, which is the result of its work,');
      assertSame(
        wasRun.length,
        1,
        'how often transaction() calls action.run(), in which its work has to run,',
      );
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
      assertSame(kept.length, 1, 'how often change.note() calls action.keep()');
      assertThat(
        kept[0] === own,
        'expected change.note() to pass change.transaction to action.keep(), but it passes something else',
      );
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
            const isChanged = await store().changePassword(user.id, update, accountChange);
            assertSame(isChanged, true, 'the result of changePassword() in a transaction');
            if (isNoted) {
              await accountChange.note({ type: 'password-changed' });
            }
            throw error;
          });
          const thrown = await work.then(
            () => undefined,
            (error: unknown) => error,
          );
          assertThat(
            thrown === error,
            `expected transaction() to reject with what its work throws (${described(error)}), but it gave ${described(thrown)}`,
          );
          const after = `the account after a transaction whose work has thrown ${error.name}`;
          assertSame(
            await find(user),
            user,
            `${after}${isNoted ? ' behind a note()' : ''}, which is rolled back,`,
          );
        }
      }
    });

    it('rolls back when an event is not kept', async () => {
      const user = await create();
      const keep = async (): Promise<never> => {
        throw new AuthException(AuthErrorCode.AUTH_UNAVAILABLE);
      };
      const work = store().transaction({ ...ACTION, keep }, async (accountChange) => {
        const update = { passwordHash: HASHES[1] as string, seenStamp: user.securityStamp };
        await store().changePassword(user.id, update, accountChange);
        await accountChange.note({ type: 'password-changed' });
      });
      const outcome = await work.then(
        () => 'accepted',
        () => 'rejected',
      );
      assertSame(outcome, 'rejected', 'the outcome of a transaction whose event action.keep() does not keep');
      assertSame(await find(user), user, 'the account after this transaction, which is rolled back,');
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
      const seen = outcomes.map(({ outcome }) => outcome);
      assertThat(
        seen.filter((outcome) => outcome === 'created').length <= 1 && !seen.includes('refused'),
        "expected one 'created' at most, and no 'refused', of four calls of ensureAdministrator() at once, but they are " +
          shown(seen),
      );
      const again = await store().ensureAdministrator(seed);
      assertSame(again.outcome, 'present', 'the outcome of a further ensureAdministrator()');
      const hashes = [...outcomes, again].map((outcome) =>
        outcome.outcome === 'refused' ? undefined : outcome.passwordHash,
      );
      assertSame(new Set(hashes).size, 1, 'the number of different hashes that these calls return');
      if (outcomes.some(({ outcome }) => outcome === 'created')) {
        const user = await store().findByUsername(seed.username);
        assertFound(user, 'that ensureAdministrator() has created');
        assertSame(
          user.passwordHash,
          HASHES[2],
          'the hash of the administrator, which is that of seed.hash(),',
        );
        const { superAdmin } = (await store().loadLoginUser(user.id)) ?? {};
        assertSame(
          superAdmin,
          true,
          'superAdmin of the administrator that ensureAdministrator() has created',
        );
      }
    });

    it('makes no administrator of an account with another password', async () => {
      const { id, username } = await create();
      const seeded = await store().ensureAdministrator({
        username,
        hash: async () => HASHES[2] as string,
        verify: async () => false,
      });
      const other = 'whose seed.username belongs to an account with another password';
      assertOneOf(seeded.outcome, ['present', 'refused'], `the outcome of ensureAdministrator() ${other}`);
      const { superAdmin } = (await store().loadLoginUser(id)) ?? {};
      assertSame(superAdmin, false, 'superAdmin of this account after ensureAdministrator()');
    });
  }
}

/** Requests of an anonymous client. */
const ACTION: AuthAction = {
  user: undefined,
  run: (fn) => fn(),
  note: () => undefined,
  keep: async ({ type, subjectId = null, subject = null, success = true, detail = null }) => ({
    type,
    subjectId,
    subject,
    success,
    detail,
    at: new Date(),
    actorId: null,
    actor: null,
    address: null,
  }),
};

const WITHOUT_TRANSACTION: AccountChange = { transaction: undefined, note: async () => undefined };
