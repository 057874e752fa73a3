// The door for tools: deadlines, caches, queues, networks, signatures, and the decisions about routes.

/** Group clients by network, for limits. */
export { networkOf, networkOfClient, turnOf } from './context/network.js';
/** Accepts https, and http for this machine in development. */
export { insecureProblem, urlProblem } from './config/secure-url.js';
/** Calls other servers. */
export { secureFetch } from './config/secure-fetch.js';
/** Checksums of tokens, for secret scanners. */
export { hasChecksum, withChecksum } from './tools/lookups.js';
export { isObject } from './ports/port.js';
/** Caches the results of tokens whose signature was verified. */
export { VerifiedTokens } from './tools/verified-tokens.js';
/** Deletes old data about once an hour. */
export { PeriodicCleaner } from './tools/periodic.cleaner.js';
/** Caches look-ups for seconds, and a map that forgets its oldest entries. */
export { BoundedMap, ShortCache } from './tools/lookups.js';
/** Shares look-ups of a key that are in flight. */
export { isLeftByAnother, SharedLookups } from './tools/lookups.js';
/** A bounded queue in which groups of clients take turns. */
export { FairQueue, type Waiting } from './context/fair-queue.js';
/** Reports what happens to sockets on the diagnostics channel. */
export { noteSocket } from './diagnostics/channels.js';
/** Limits the time of a promise. */
export { Deadline, withinDeadline } from './errors/deadline.js';
/** An error as one line of the log. */
export { describeError } from './errors/describe.js';
/** Makes a string safe for logs and events. */
export { plainText } from './errors/describe.js';
/** The decisions of the route report. */
export { accessOf, type DecidedRoute, lineOf } from './route-report/route-access.js';
export { connectionHookOf, isOpen, readsToken, requiresToken, RouteRules } from './routes/route-rules.js';
export { PROTECTED, type RouteRule } from './routes/route-rule.js';
/** Finds gateways and message handlers. */
export { MessageExplorer, type MessageHandler } from './messages/message.explorer.js';
/** Checks the requirements of a route. */
export { AccessChecker } from './guard/access.checker.js';
/** Finds misspelled names. */
export { editDistance } from './ports/port.check.js';
/** The module of the default user store, for `overrideModule()`. */
export { defaultUsersModule } from './kit-auth.module.js';
/** Sign and verify with asymmetric keys. */
export {
  isSignatureAlgorithm,
  keyProblem,
  type SignatureAlgorithm,
  signWith,
  VerificationKey,
} from './tools/signatures/algorithms.js';
/** Read and publish asymmetric keys. */
export {
  keyFrom,
  type KeyInput,
  publicJwkOf,
  publicKeyOf,
  publicMembersOf,
  thumbprintOf,
} from './tools/signatures/keys.js';
/** Read tokens of others. */
export { type CompactToken, readCompact } from './tools/signatures/compact-token.js';

// The settings of programs that import this entry alone.
export type {} from './config/kit-auth.options.js';
