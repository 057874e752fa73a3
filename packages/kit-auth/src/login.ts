// The door for packages that log users in, add factors, change accounts, or resolve tokens.

/** Reads the principal of requests to open routes. */
export { RequestTokens } from './manager/request-tokens.js';
/** What a token transport reads of a request, and whether its method changes nothing. */
export { isSafe, transportRequestOf } from './ports/ports.js';
/** Continues a login after a factor. */
export { type LoginAnswer, LoginFlow, summaryOf } from './login/login.flow.js';
/** Re-authenticates a login and issues a fresh token. */
export { LoginConfirmation } from './fresh/login.confirmation.js';
/** Checks the password of a user who is logged in. */
export { PasswordCheck } from './passwords/password.check.js';
/** Hashes codes that are too short for a fast hash, and compares them. */
export { PasswordHashing } from './passwords/password.hashing.js';
/** Passes answers with tokens to the token transport. */
export { TransportExchanges } from './manager/transport.exchanges.js';
/** Checks whether an account or a device is locked, and unlocks it. */
export { LoginThrottle } from './throttle/login.throttle.js';
/** Count attempts of your own kind, such as codes or mails. */
export { Counters, type RateLimit } from './throttle/counters.js';
export type { Budget, GateResult } from './throttle/budget.js';
/** Whether factors and their times fit into every token. */
export { isFactors, isFactorTime } from './ports/port.js';
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
export { FreshOptionsModule } from './fresh/fresh-options.module.js';
/** Names a login, also one whose implementation does not. */
export { loginKey } from './throttle/throttle.keys.js';
/** In the proof of a login that has created its account, for `@RequireFresh()`. */
export { ACCOUNT_CREATED } from './guard/fresh-login.js';
/** The ways in which users log in. */
export { LoginWays } from './account/login-ways.js';
/** Checks new passwords and hashes them. */
export { NewPasswords } from './passwords/new-passwords.js';
/** Reads codes that people type. */
export { readTypedCode } from './users/typed-code.js';
/** Copies a user of the application, before a request freezes it. */
export { copyOf } from './users/stored-users.js';
export { dataProblem, freezeData } from './ports/user-data.js';
/** The length of a token that a header can carry. */
export { MAX_TOKEN_LENGTH } from './contract/settings.js';
/** Stored proofs of logins. */
export { asciiJson, endOfLogin, ProofReader, writeProof } from './tools/stored-login.js';
/** Convert and compare the ids of users in tokens and tables. */
export { isOwnedBy, isUserId, MAX_USER_ID, ownerOf, userIdFrom } from './tools/stored-login.js';
export { isStringId, isTextId } from './ports/port.js';
/** Reports calls to a store on the diagnostics channel. */
export { storeCalls } from './diagnostics/channels.js';
export { FactorGuesses, type Guess } from './throttle/factor.guesses.js';

// The settings of programs that import this entry alone.
export type {} from './config/kit-auth.options.js';
