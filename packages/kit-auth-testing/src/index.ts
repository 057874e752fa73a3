export { describeAuthProvider, type ProviderTraits, type ProviderUnderTest } from './auth-provider.suite.js';
export { type CredentialUnderTest, describeCredential } from './credential.suite.js';
export { describeLogins, type LoginsTraits, type LoginsUnderTest } from './logins.suite.js';
export { describeSessionStore } from './session-store.suite.js';
export {
  describeTokenTransport,
  type HeaderLine,
  type TransportTraits,
  type TransportUnderTest,
} from './token-transport.suite.js';
export {
  describeUserStore,
  type NewUser,
  type OptionalUserStoreMethod,
  type UserStoreTraits,
  type UserStoreUnderTest,
} from './user-store.suite.js';
