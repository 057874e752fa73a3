import type { AuthUserStore, UserId } from 'kit-auth';

/** The methods that a store may omit. */
export type OptionalUserStoreMethod = Exclude<
  keyof AuthUserStore,
  'idType' | 'findByUsername' | 'loadLoginUser'
>;

/** The capabilities of the store. */
export interface UserStoreTraits {
  /** The optional methods that the store has. */
  methods: readonly OptionalUserStoreMethod[];
  /** Whether the application can disable accounts. Default true. */
  canDisable?: boolean;
}

export interface UserStoreUnderTest {
  store: AuthUserStore;
  /** Creates an account without roles, in the way of the application. @returns its id */
  createUser: (user: SuiteUser) => UserId | Promise<UserId>;
}

/** An account that the suite creates. */
export interface SuiteUser {
  username: string;
  passwordHash: string;
  enabled: boolean;
}
