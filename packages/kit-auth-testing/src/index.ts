export { describeAuthProvider, type ProviderTraits, type ProviderUnderTest } from './auth-provider.suite.js';
export { describeSessionStore } from './session-store.suite.js';
