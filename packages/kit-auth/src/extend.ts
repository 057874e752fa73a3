export { type ActingAdministrator, ActingAdministrators } from './account/acting-administrator.js';
export { AdminAuthority, areAdministrative, isAdminPermission } from './account/admin-authority.js';
export { isDisplayName } from './account/display-name.js';
export { NewPasswords } from './account/new-passwords.js';
export { type EndedSessions, SessionEnds } from './account/session-ends.js';
export {
  defineOptions,
  OptionsDefinition,
  type OptionsOf,
  ResolvedOptions,
  type SettingsOf,
} from './config/define-options.js';
export {
  choice,
  flag,
  integer,
  Option,
  type OptionRules,
  type OptionsIn,
  type SettingsIn,
  type Shape,
  switchable,
  Switchable,
  text,
} from './config/option.js';
export { networkOf, networkOfClient } from './context/network.js';
export { noteThrottled } from './diagnostics/notes.js';
export { storeCalls } from './diagnostics/operation.js';
export { Deadline, withinDeadline } from './errors/deadline.js';
export { describeError } from './errors/describe-error.js';
export { editDistance } from './errors/edit-distance.js';
export { plainText } from './errors/plain-text.js';
export { hasChecksum, withChecksum } from './extend/checksum.js';
export { PeriodicCleaner } from './extend/periodic.cleaner.js';
export { ShortCache } from './extend/short-cache.js';
export { isLeftByAnother, SharedLookups } from './extend/shared-lookups.js';
export { asciiJson, endOfLogin, ProofReader, writeProof } from './extend/stored-proof.js';
export { AccessChecker } from './guard/access.checker.js';
export { RequestTokens } from './guard/request-tokens.js';
export { defaultUsersModule } from './kit-auth.module.js';
export { DependencyFailureInterceptor } from './login/dependency-failure.interceptor.js';
export { type JsonRequest, readJsonObject, readTexts } from './login/json-body.js';
export { KitAuthController } from './login/kit-auth-controller.decorator.js';
export { LoginConfirmation } from './login/login.confirmation.js';
export { type LoginAnswer, LoginFlow, summaryOf } from './login/login.flow.js';
export { OnlyWhenEnabled } from './login/only-when-enabled.guard.js';
export { PasswordCheck } from './login/password.check.js';
export { TransportExchanges } from './login/transport-exchanges.js';
export { ActiveLogins } from './provider/active.logins.js';
export { ActiveProvider } from './provider/active.provider.js';
export { CommandHooks } from './provider/command-hooks.decorator.js';
export { Contributions } from './provider/contributions.js';
export { isFactors, isFactorTime } from './provider/resolved-login.js';
export { isSafe, transportRequestOf } from './provider/transport-request.js';
export { accessOf, type DecidedRoute, lineOf } from './routes/route-access.js';
export { BeforeEnrolment } from './routes/before-enrolment.decorator.js';
export { decoratedTarget } from './routes/decorated-function.js';
export { decoratedMethodOf } from './routes/decorated-method.js';
export { FreshLogins } from './routes/fresh-logins.js';
export { isOpen } from './routes/route-rule.js';
export { requiresToken } from './routes/route-rules.js';
export { type Budget, type Passage } from './throttle/budget.js';
export { Counters } from './throttle/counters.js';
export { LoginThrottle } from './throttle/login.throttle.js';
export { ActiveUserStore } from './users/active.user-store.js';
export { FairQueue, type Waiting } from './users/fair.queue.js';
export { isOwnedBy, isText, isUserId, MAX_USER_ID, ownerOf, userIdFrom } from './users/login-owner.js';
export { isTextId } from './users/text-id.js';
