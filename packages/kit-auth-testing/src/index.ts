export { type ActingAsOptions, type ActingUser, actingAs } from './application/acting-as.js';
export { type AccessAssertions, expectAccess } from './application/expect-access.js';
export { KitAuthTestingModule, type KitAuthTestingOptions } from './application/kit-auth-testing.module.js';
export { type RouteAccessAssertions, type TestRequest } from './application/route-access.assertions.js';
export { type TestUser, testUser } from './application/test-user.js';
export { kitAuthProviders, type UnitTestOptions } from './application/unit-test.providers.js';
export { describeAuthProvider, type ProviderTraits, type ProviderUnderTest } from './auth-provider.suite.js';
export { type CredentialUnderTest, describeCredential } from './credential.suite.js';
export { describeLogins, type LoginsTraits, type LoginsUnderTest } from './logins.suite.js';
export { describeSessionStore, type SessionStoreTraits } from './session-store.suite.js';
export {
  describeTokenTransport,
  type HeaderLine,
  type TransportTraits,
  type TransportUnderTest,
} from './token-transport.suite.js';
export { describeUserStore } from './user-store.suite.js';
export type {
  OptionalUserStoreMethod,
  SuiteUser,
  UserStoreTraits,
  UserStoreUnderTest,
} from './user-store.under-test.js';
