import type { AuthAction, NotedEvent } from './auth-event.js';
import type { LoginUser } from './login-user.js';
import type { UserId } from './user-id.js';

/**
 * Injection token of the users of an application. By default `KitAuthModule.forRoot()` brings the tables `auth_user`
 * and `auth_role` with TypeORM. `KitAuthModule.forRoot({ users: MyUsersModule })` uses the store that `MyUsersModule`
 * provides instead.
 *
 * @example
 * ```ts
 * @Module({ providers: [{ provide: AUTH_USER_STORE, useClass: MyUserStore }] })
 * export class MyUsersModule {}
 * ```
 */
export const AUTH_USER_STORE = Symbol.for('kit-auth.user-store');

/** Required if the application declares in `KitAuthTypes` that its ids are strings, so that it cannot be forgotten. */
type StoreIdType = [UserId] extends [string] ? StoreWithTextIds : StoreWithIds;

interface StoreWithIds {
  /**
   * The type of the user ids. Default `number`. Tokens with an id of another type are refused. A string id has 1 to 128
   * characters of printable ASCII without spaces, such as a uuid, a cuid or a hexadecimal ObjectId.
   */
  readonly idType?: 'number' | 'string';
}

interface StoreWithTextIds extends StoreWithIds {
  readonly idType: 'string';
}

/**
 * Finds and changes the users. `loadLoginUser` is required. Each of the others enables a feature: start-up logs which
 * features are off, and fails with `IllegalStateException` if an option asks for a feature whose method is missing.
 *
 * Methods reject when the database does not answer. A login waits for at most `kit.auth.login.databaseTimeoutMs`.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class MyUserStore implements AuthUserStore {
 *   constructor(private readonly db: Database) {}
 *
 *   async findByUsername(username: string): Promise<StoredUser | undefined> {
 *     const row = await this.db.users.findOne({ email: username });
 *     return row && { ...row, username: row.email, enabled: row.active, securityStamp: row.passwordVersion };
 *   }
 *
 *   async loadLoginUser(userId: UserId): Promise<LoginUser | undefined> {
 *     const row = await this.db.users.findOne({ id: userId, active: true });
 *     return row && {
 *       userId: row.id,
 *       username: row.email,
 *       nickname: row.name,
 *       superAdmin: false,
 *       roles: row.roles,
 *       permissions: [],
 *     };
 *   }
 * }
 * ```
 */
export interface AuthUserStore extends StoreIdType {
  /**
   * Finds an account by its exact name, case included. Disabled accounts are returned with `enabled: false`. Without
   * this method, there is no `POST login` and no `POST password`, for applications that log in their users themselves.
   */
  findByUsername?(username: string): Promise<StoredUser | undefined>;
  /**
   * The username of an account, enabled or not. For logins with an address that `AUTH_ADDRESSES` knows. Without it, the
   * right password of a disabled account gets 40110 instead of 40111 there.
   */
  usernameOf?(userId: UserId): Promise<string | undefined>;
  /**
   * Whether another account has a username, or one that people would take for it. `kit-auth-email` asks before it stores a
   * verified address. Default: `findByUsername` decides.
   *
   * @param username for example an address in lower case
   * @param exceptId the account that may have it
   * @param change if given, look in its transaction
   */
  isUsernameTaken?(
    username: string,
    exceptId: UserId | undefined,
    change?: Pick<AccountChange, 'transaction'>,
  ): Promise<boolean>;
  /** @returns undefined when the user is unknown or not enabled */
  loadLoginUser(userId: UserId): Promise<LoginUser | undefined>;
  /**
   * Loads what `request.user` is, such as an entity of the application. Without this method, it is the `LoginUser`.
   * `@CurrentUser()` and `KitAuthContext` have that in any case.
   *
   * Called once for each request whose route has a user, before roles, permissions and policies are checked. Not called
   * for messages of gateways and microservices, which have no request.
   *
   * @param user what the token resolved to. Return it for a user who is in no table of the application, such as one from
   * the claims of another issuer
   * @returns undefined or null when the user does not exist any more: the request gets 40101 `disabled`. If it rejects, the
   * request gets 50300
   */
  requestUser?(userId: UserId, user: LoginUser): Promise<object | null | undefined>;
  /**
   * The security stamp, a string that changes with the password, the status and the roles. For
   * `kit.auth.jwt.checkStamp`.
   *
   * @param change if given, read the stamp in its transaction, and lock the row of the user until it ends (`FOR UPDATE`).
   * Otherwise a passkey that a thief adds can outlive the removal of all passkeys at the same moment
   * @returns undefined when the user is unknown or not enabled
   */
  stampOf?(userId: UserId, change?: AccountChange): Promise<string | undefined>;
  /**
   * Stores a new security stamp for a user, enabled or not. Called before an administrator removes a way to log in, such as
   * the passkeys of a user, so that logins and changes that have begun before end without effect.
   *
   * @returns the new stamp
   */
  renewStamp?(userId: UserId, change: AccountChange): Promise<string>;
  /**
   * Stores the time of a login.
   *
   * @param seenStamp the stamp when the password was compared
   * @returns false when the user has another stamp by now: the login is then refused
   */
  noteLogin?(userId: UserId, seenStamp: string): Promise<boolean>;
  /** Replaces a hash after a login, unless it is no longer `from`. */
  renewHash?(userId: UserId, from: string, to: string): Promise<void>;
  /**
   * Stores a new password with a new security stamp, and sets `mustChangePassword` as `update.mustChange` says. For
   * `POST password` and `kit-auth user password`.
   *
   * @param change the transaction of `transaction()`, if the store has that
   * @returns false when the user has another stamp than `seenStamp` by now
   */
  changePassword?(userId: UserId, update: NewPassword, change: AccountChange): Promise<boolean>;
  /**
   * Creates an enabled account with a new security stamp. For `kit-auth-registration` and `kit-auth user create`.
   *
   * @returns the id
   * @throws AuthException 40900 when the username is taken, 40000 when the store cannot keep the nickname
   */
  createUser?(user: NewUser, change: AccountChange): Promise<UserId>;
  /**
   * Stores a username with a new security stamp. For `kit-auth-email`, where the username is the address of the user.
   *
   * @param update `username` may be the current one
   * @returns false when the user has another stamp than `seenStamp` by now
   * @throws AuthException 40900 when the username is taken
   */
  changeUsername?(userId: UserId, update: NewUsername, change: AccountChange): Promise<boolean>;
  /**
   * Lists accounts, ordered by id, enabled or not. For `KitAuthUserListModule` of `kit-auth-admin`, `kit-auth user list`,
   * and the suggestions of `npx kit-auth` for unknown names.
   */
  listUsers?(page: UserPage): Promise<readonly ListedUser[]>;
  /**
   * Disables an account and stores a new security stamp. For `KitAuthUserListModule` and `kit-auth user disable`.
   *
   * @returns false when the user is unknown, or disabled already
   * @throws AuthException 40900 for the last administrator, if the store does not allow that
   */
  disableUser?(userId: UserId, change: AccountChange): Promise<boolean>;
  /**
   * Enables a disabled account and stores a new security stamp. For `KitAuthUserListModule` and
   * `kit-auth user disable --enable`.
   *
   * @returns false when the user is unknown, or enabled already
   */
  enableUser?(userId: UserId, change: AccountChange): Promise<boolean>;
  /**
   * The permissions that these roles grant together, including those of included roles. For roles that users get at
   * registration, by an invitation or by `kit-auth user create`.
   *
   * @returns undefined when one of the roles does not exist
   */
  grantsOf?(roles: readonly string[], change?: AccountChange): Promise<Grants | undefined>;
  /** Creates the default administrator, unless there is an administrator already. For the seeding at start-up. */
  ensureAdministrator?(seed: AdministratorSeed): Promise<SeededAdministrator>;
  /** The stored hash that takes the longest to verify. Called once at start-up. */
  slowestHash?(): Promise<string | undefined>;
  /**
   * Runs work in one transaction. An exception rolls it back. Without this method the parts of a change follow one
   * another.
   *
   * `AccountChange.note()` of this store passes its event to `action.keep()`. After the commit, the store passes the
   * result of `keep()` to `AuthEvents.emit()`. Otherwise listeners do not get the event, and no mail is sent.
   *
   * @throws AuthException 50300 when the database does not answer in time; nothing is changed then
   */
  transaction?<T>(action: AuthAction, work: (change: AccountChange) => Promise<T>): Promise<T>;
}

/** An account as a login finds it. */
export interface StoredUser {
  readonly id: UserId;
  readonly username: string;
  /** Undefined or empty for an account without a password, which cannot log in with one. */
  readonly passwordHash?: string | undefined;
  readonly enabled: boolean;
  /** Changes with the password, the status and the roles. An empty string if the application has no stamps. */
  readonly securityStamp: string;
}

export interface NewPassword {
  readonly passwordHash: string;
  /** The stamp that the change is based on. */
  readonly seenStamp: string;
  /**
   * Whether another person, such as an administrator, chose the password, so that the user must change it at the next
   * login. `LoginUser` then has `mustChangePassword`. A store without that ignores it. Default false.
   */
  readonly mustChange?: boolean;
}

/** A page of `listUsers`. */
export interface UserPage {
  /**
   * The page has the users behind this id, such as the last one of the page before. There may be no user with it, for
   * example after a deletion. Absent for the first page.
   */
  readonly after?: UserId;
  /** The most users that the page may have. */
  readonly limit: number;
}

/** An account in a list. */
export interface ListedUser {
  readonly id: UserId;
  readonly username: string;
  /** The name that people see. */
  readonly nickname: string;
  readonly enabled: boolean;
  /** The roles of the user. */
  readonly roles: readonly string[];
  /** Absent or null if it is not known. */
  readonly lastLoginAt?: Date | null;
}

/** An account that `createUser` creates. */
export interface NewUser {
  readonly username: string;
  /** The name that people see. */
  readonly nickname: string;
  /**
   * Absent for an account without a password, which logs in otherwise. Store null, or an empty string where the column
   * is required.
   */
  readonly passwordHash?: string | undefined;
  /** Codes of roles, which `grantsOf` knows. If users have at most one role, throw 40000 for several. */
  readonly roles: readonly string[];
}

export interface NewUsername {
  readonly username: string;
  /** The stamp that the change is based on. */
  readonly seenStamp: string;
}

/** The roles and permissions of a user or of a set of roles. */
export type Grants = Pick<LoginUser, 'superAdmin' | 'permissions'>;

/** A change of accounts while it is being made. */
export interface AccountChange {
  /** The transaction for the store's own queries, for example an `EntityManager` of TypeORM. Undefined without one. */
  readonly transaction: unknown;
  /** Stores an event with the change. Listeners get it after the change. */
  note(event: NotedEvent): Promise<void>;
}

export interface AdministratorSeed {
  readonly username: string;
  /** Hashes the configured password, which is slow. Call it only to create an account. */
  hash(): Promise<string>;
  /** Whether a stored hash belongs to the configured password. */
  verify(storedHash: string): Promise<boolean>;
}

/** The result of `ensureAdministrator`. */
export type SeededAdministrator =
  /**
   * `present`: there was an administrator, with or without a password. `bound`: the account existed and got the role.
   */
  | { readonly outcome: 'present' | 'created' | 'bound'; readonly passwordHash?: string | undefined }
  /** An account with the configured name is not an administrator and has another password. Nothing was changed. */
  | { readonly outcome: 'refused' };
