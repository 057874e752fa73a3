// The public entry for packages that extend kit-auth. Two packages or a recipe use each name, or moving it would
// duplicate code of the core.

// ---- Endpoints

/** A controller under `/v1/api/auth`. */
export { KitAuthController } from './endpoints/controller.js';
/** A controller under `/.well-known`, whatever the global prefix is. */
export { WellKnownController } from './endpoints/well-known.js';
/** A controller of an open page, and strings in its HTML. */
export { escapeHtml, OwnPageController } from './endpoints/own-page.js';
/** Read JSON bodies without a pipe of the application. */
export { type JsonRequest, readJsonObject } from './endpoints/json-body.js';
/** Reads a form, which clients of protocols such as OAuth send. */
export { formTextOf } from './endpoints/json-body.js';
/** Endpoints that an option, or a method of the user store, switches on. */
export { endpointsIf, endpointsIfStoreHas } from './endpoints/optional-endpoints.js';
/** Reads a cookie of a request. */
export { cookiesIn } from './endpoints/cookies.js';
/** Admits users who have to set up a second factor or a new password first, and those who act as a user. */
export { BeforeEnrolment, BeforePasswordChange, ForActors } from './routes/require.decorators.js';
/** Finds access decorators where they have no effect. */
export { requirementsOn } from './routes/require.decorators.js';
/** Reads the principal of requests to open routes. */
export { RequestTokens } from './endpoints/request-tokens.js';
/** What a token transport reads of a request, and whether its method changes nothing. */
export { isSafe, transportRequestOf } from './ports/ports.js';
/** The endpoints of a module without a manifest. */
export { AUTH_OPERATIONS, type PackageEndpoints } from './endpoints/operations.js';

/** Refusals, each with one code. */
export {
  badRequest,
  conflict,
  forbidden,
  invalidLink,
  invalidToken,
  notFound,
  unavailable,
} from './errors/auth.exception.js';

/** Declare the reasons of errors, and read those of all modules. */
export { DeclaredReasons, declareReasons } from './endpoints/declared-reasons.js';

// ---- Logins

/** Continues a login after a factor. */
export { type LoginAnswer, LoginFlow, summaryOf } from './login/login.flow.js';
/** Re-authenticates a login and issues a fresh token. */
export { LoginConfirmation } from './account/login.confirmation.js';
/** Checks the password of a user who is logged in. */
export { PasswordCheck } from './passwords/password.check.js';
/** Hashes codes that are too short for a fast hash, and compares them. */
export { PasswordHashing } from './passwords/password.hashing.js';
/** Passes answers with tokens to the token transport. */
export { TransportExchanges } from './manager/transport.exchanges.js';
/** Checks whether an account or a device is locked, and unlocks it. */
export { LoginThrottle } from './throttle/login.throttle.js';
/** Count attempts of your own kind, such as codes or mails. */
export { Counters, type RateLimit, tooManyAttempts } from './throttle/counters.js';
export { type Budget, type GateResult } from './throttle/budget.js';
/** Group clients by network, for limits. */
export { networkOf, networkOfClient, turnOf } from './context/network.js';
/** Whether factors and their times fit into every token. */
export { isFactors, isFactorTime } from './ports/port.js';

// ---- Users, sessions and administration

/** The user store of the application. */
export { ActiveUserStore } from './users/active.user-store.js';
/** Tells databases of users apart that share a server such as Redis. */
export { UserDatabase } from './contract/user-database.js';
/** The token implementation of the application. */
export { ActiveProvider } from './ports/active.provider.js';
/** The live logins of users. */
export { ActiveLogins } from './ports/active.provider.js';
/** Resolves tokens that no request to a route carries, such as those of sockets. */
export { type Presented, type ResolvedPrincipal, TokenResolver } from './ports/token.resolver.js';
/** Reads the tokens of requests. */
export { type RequestWithHeaders, TokenReader } from './guard/token.reader.js';
/** Whether a parameter of a method is the current user. */
export { isCurrentUser } from './context/kit-auth.context.js';
/** Contexts of connections, messages and jobs. */
export { currentMessage, MessageContext, MessageContexts } from './context/message-contexts.js';
/** Tells listeners that logins have ended. */
export { LoginEnds } from './ports/login-ends.js';
/** Changes an account, and ends its sessions with the change. */
export { type EndedSessions, SessionEnds } from './account/session-ends.js';
/** Changes of the factors of the current user. */
export {
  type AddedFactor,
  type ChangingUser,
  type CurrentUser,
  OWN_CHANGES,
  OwnChanges,
} from './account/own-changes.js';
/** The factors of users. */
export { Factors, type OwnedFactor, type SecondFactors } from './ports/factors.js';
/** `POST fresh/options`, for factors that have something to begin with. */
export { FreshOptionsModule } from './account/fresh-options.module.js';
/** Names a login, also one whose implementation does not. */
export { loginKey } from './throttle/throttle.keys.js';
/** In the proof of a login that has created its account, for `@RequireFresh()`. */
export { ACCOUNT_CREATED } from './guard/fresh-login.js';
/** The ways in which users log in. */
export { LoginWays } from './account/login-ways.js';
/** Checks new passwords and hashes them. */
export { NewPasswords } from './account/new-passwords.js';
/** Email addresses. */
export { type Address, parseAddress } from './users/address.js';
/** Display names, and names that users give to their devices. */
export { deviceNameFrom, isDisplayName, nicknameFrom } from './users/display-name.js';
/** Reads codes that people type. */
export { readTypedCode } from './account/typed-code.js';
/** The authority of an administrator in a request. */
export { type ActingAdministrator, ActingAdministrators } from './account/acting-administrator.js';
export { AdminAuthority, areAdministrative, isAdminPermission } from './account/admin-authority.js';
/** The role that nothing but an administrator may grant. */
export { SUPER_ADMIN } from './users/stored-users.js';
/** Copies a user of the application, before a request freezes it. */
export { copyOf } from './users/stored-users.js';
export { dataProblem, freezeData } from './ports/user-data.js';
/** Switches `@RequireFresh()` off for controllers of a package. */
export { FreshLogins } from './routes/route-rules.js';

/** For sinks that react to changes only. */
export { ATTEMPT_EVENTS } from './contract/auth-event.js';
/** The detail of events about the roles of a user. */
export { rolesDetail } from './events/roles-detail.js';

// ---- Options and ports

/** Define the options of a package. */
export {
  defineOptions,
  type OptionsDefinition,
  type OptionsOf,
  ResolvedOptions,
  type SettingsOf,
} from './config/define-options.js';
export {
  choice,
  flag,
  integer,
  Option,
  parseList,
  secrets,
  type Switchable,
  switchable,
  text,
} from './config/option.js';
/** Accepts https, and http for this machine in development. */
export { insecureProblem, urlProblem } from './config/secure-url.js';
/** Calls other servers. */
export { secureFetch } from './config/secure-fetch.js';
/** Contributions to the ports of the core and of packages. */
export { Ports } from './ports/ports.js';
/** Checks of `npx kit-auth doctor`. */
export { DOCTOR_CHECK, type DoctorCheck, type DoctorFinding } from './commands/doctor-check.js';
/** Runs the hooks of a module in commands of `npx kit-auth`. */
export { CommandHooks } from './commands/auth-command.js';
/** A day in the output of a command. */
export { dayOf } from './commands/auth-command.js';

// ---- Tokens and stores

/** Finds the users of identities that `kit-auth-oidc` has linked. */
export { AUTH_IDENTITIES, type AuthIdentities } from './account/auth-identities.js';
/** The length of a token that a header can carry. */
export { MAX_TOKEN_LENGTH } from './contract/settings.js';
/** Checksums of tokens, for secret scanners. */
export { hasChecksum, withChecksum } from './tokens/lookups.js';
/** Stored proofs of logins. */
export { asciiJson, endOfLogin, ProofReader, writeProof } from './tokens/stored-login.js';
/** Convert and compare the ids of users in tokens and tables. */
export { isOwnedBy, isUserId, MAX_USER_ID, ownerOf, userIdFrom } from './tokens/stored-login.js';
export { isObject, isText, isTextId } from './ports/port.js';
/** Caches the results of tokens whose signature was verified. */
export { VerifiedTokens } from './tokens/verified-tokens.js';
/** Deletes old data about once an hour. */
export { PeriodicCleaner } from './tokens/periodic.cleaner.js';
/** Caches look-ups for seconds, and a map that forgets its oldest entries. */
export { BoundedMap, ShortCache } from './tokens/lookups.js';
/** Shares look-ups of a key that are in flight. */
export { isLeftByAnother, SharedLookups } from './tokens/lookups.js';
/** A bounded queue in which groups of clients take turns. */
export { FairQueue, type Waiting } from './context/network.js';
/** Reports calls to a store on the diagnostics channel. */
export { storeCalls } from './diagnostics/channels.js';
/** Reports what happens to sockets on the diagnostics channel. */
export { noteSocket } from './diagnostics/channels.js';

// ---- Errors and strings

/** Limits the time of a promise. */
export { Deadline, withinDeadline } from './errors/promises.js';
/** An error as one line of the log. */
export { describeError } from './errors/describe.js';
/** Makes a string safe for logs and events. */
export { plainText } from './errors/describe.js';

// ---- Routes, for tools and tests

/** Metadata of decorators that survives wrappers of handlers. */
export { decoratedTarget } from './routes/decorated-method.js';
export { decoratedMethodOf } from './routes/decorated-method.js';
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
