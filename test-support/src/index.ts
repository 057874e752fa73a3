export { CloseRace } from './close-race.js';
export {
  type DatabaseName,
  replicateNothing,
  SERVERS,
  sharedDatabase,
  sqliteInMemory,
  type TestDatabase,
} from './databases.js';
export { ALL_BUT_DATE, freezeDate, holdTimeouts } from './frozen-date.js';
export { PAIR_ALGORITHMS, type PairAlgorithm, pairOf } from './key-pairs.js';
export { bearer, tokenOf } from './login.js';
export {
  CLIENT_ID,
  CLIENT_SECRET,
  LOGOUT_EVENT,
  sharedHostileProvider,
  type Tampering,
} from './hostile-provider.js';
export { handlerCall, routeRulesOf } from './handler-call.js';
export { nodeResponse } from './node-response.js';
export { MailServer, type ReceivedMail } from './mail-server.js';
export { MemoryLogger } from './memory-logger.js';
export { BOTH, type Platform, PLATFORMS, type TrustProxy } from './platforms.js';
export { EVERYWHERE, type Import, type ProviderName } from './providers.js';
export {
  type Answer,
  bodyOf,
  parse,
  postJson,
  request,
  requestOf,
  type RequestParts,
  send,
  sendUntil,
} from './raw-http.js';
export { freePorts, RedisServer, startCluster, startSentinel } from './redis-server.js';
export { requireSentence } from './required-sentences.js';
export { ServerProcess } from './server-process.js';
export { SilentProxy } from './silent-proxy.js';
export { SlowProxy } from './slow-proxy.js';
export { IS_SWEEP, pairsOf, sweepOf } from './sweep.js';
export {
  type CallParts,
  loginUser,
  moduleOf,
  type OwnParts,
  PASSWORD,
  sharedTestApp,
  TestApp,
  testApp,
  type TestAppOptions,
  type UserFields,
  type Where,
} from './test-app.js';
export { totpCode } from './totp.js';
export { atOnce } from './at-once.js';
export { until } from './until.js';
export { APP_SECRET, authApp, builtApp, DECORATE, sourceApp } from './built-app.js';
export { type CliResult, kitAuth } from './cli.js';
export { EventListener } from './event-listener.js';
export { ListeningApp } from './listening-app.js';
export { type Implementation, nameOf, optionsFor, type Place, sharedInstances, TOKENS } from './instances.js';
export {
  AUDIENCE,
  IssuerKey,
  type Json,
  JWKS_PATH,
  sharedJwksServer,
  type TokenParts,
} from './jwks-server.js';
export { LocalServer } from './local-server.js';
export { PlainProvider, PlainProviderModule } from './plain-provider.js';
export { CapableUsersModule, PlainUsersModule } from './plain-users.js';
export { SOURCE_FLAGS } from './source-flags.js';
export { SPELLINGS, withPrefix } from './spellings.js';
export { describeEndpoints, describeExports, describePackage } from './describe-package.js';
export { OpenApi } from './openapi.js';
export { published } from './published.js';
export { ModulePage, type ModulePageOptions, type PageAnswer } from './module-page.js';
export type { PageElement } from './page-element.js';
