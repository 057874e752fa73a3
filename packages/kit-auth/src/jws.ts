// The public entry for packages that verify signed tokens. Applications that use none of them do not load it.

/** Sign and verify with asymmetric keys. */
export {
  isSignatureAlgorithm,
  keyProblem,
  type SignatureAlgorithm,
  signWith,
  VerificationKey,
} from './signatures/algorithms.js';
/** Read and publish asymmetric keys. */
export {
  keyFrom,
  type KeyInput,
  publicJwkOf,
  publicKeyOf,
  publicMembersOf,
  thumbprintOf,
} from './signatures/keys.js';
/** Read tokens of others. */
export { type CompactToken, readCompact } from './signatures/compact-token.js';
