export { type KitAuthModuleExtras, KitAuthModule } from './kit-auth.module.js';
export { type KitAuthConfig, kitAuthConfig } from './config/kit-auth.config.js';
export type { JwtKey, JwtSigner } from './config/jwt-keys.js';
export type { KitAuthOptions, KitAuthOptionsFactory } from './config/kit-auth.options.js';
export { CurrentUser, KitAuthContext } from './context/kit-auth.context.js';
export {
  AUTH_COMMAND,
  type AuthCommand,
  type AuthCommandContext,
  type AuthCommandOption,
  type AuthCommandOutput,
} from './feature/commands/auth-command.js';
export { AUTH_ADDRESSES, type AuthAddresses } from './contract/auth-addresses.js';
export { AUTH_CREDENTIAL, type AuthCredential, type RequestedRoute } from './contract/auth-credential.js';
export {
  AUTH_EVENT_SINK,
  type AuthAction,
  type AuthEvent,
  type AuthEventSink,
  type AuthEventType,
  type AuthEventTypes,
  type NotedEvent,
} from './contract/auth-event.js';
export { AuthEvents } from './contract/auth-events.js';
export { AUTH_BUS, type AuthBus } from './contract/auth-bus.js';
export { ErrorTexts } from './contract/error-texts.js';
export { ERROR_TEXTS, type ErrorText, type ErrorTextSource } from './refusals/error-text.source.js';
export { AUTH_LOGINS, type AuthLogins, type OpenedLogin } from './contract/auth-logins.js';
export type { AuthPolicy } from './contract/auth-policy.js';
export { AUTH_MESSAGES, type AuthMessages, type MessageType } from './contract/auth-messages.js';
export { AUTH_PROVIDER, type AuthProvider } from './contract/auth-provider.js';
export type {
  AuthSessions,
  EndAllOptions,
  SessionEndReason,
  SessionEndReasons,
  SessionInfo,
} from './contract/auth-sessions.js';
export type { Client } from './contract/client.js';
export type { HashTurn } from './contract/hash-turn.js';
export type {
  LoginLimiter,
  LoginLimiterFactory,
  LoginLimiterOptions,
  LoginLimiterResult,
} from './contract/login-limiter.js';
export { LOGIN_END_LISTENER, type LoginEnd, type LoginEndListener } from './contract/login-end.js';
export type { LoginProof, Principal, ResolvedLogin } from './contract/login-proof.js';
export { AUTH_FACTOR, type Factor, type FactorOutcome } from './contract/factor.js';
export {
  type BegunLogin,
  LOGIN_STEP,
  type LoginAttempt,
  type LoginStep,
  type NamedLogin,
  type ShownAnswer,
  type VerifiedLogin,
} from './contract/login-step.js';
export type { LoginResult, LoginUser, UserSummary } from './contract/login-user.js';
export { PASSWORD_HASHER, type PasswordHasher } from './contract/password-hasher.js';
export type { FreshFactor, FreshFactors, FreshRequirement, Requirement } from './contract/requirement.js';
export { KIT_AUTH_SETTINGS, type KitAuthSettings, type OptionalPaths } from './contract/settings.js';
export {
  TOKEN_TRANSPORT,
  type TokenTransport,
  type TransportExchange,
  type TransportRequest,
} from './contract/token-transport.js';
export type { KitAuthTypes, UserData, UserDataKey, UserId } from './contract/user-id.js';
export {
  type AccountChange,
  type AdministratorSeed,
  AUTH_USER_STORE,
  type AuthUserStore,
  type Grants,
  type ListedUser,
  type NewPassword,
  type NewUser,
  type NewUsername,
  type SeededAdministrator,
  type StoredUser,
  type UserPage,
} from './contract/user-store.js';
export type {
  AuthDecisionMessage,
  AuthHashMessage,
  AuthLoginMessage,
  AuthOpenReason,
  AuthOperationMessage,
  AuthOutcome,
  AuthRefusalReason,
  AuthResolveMessage,
  AuthSocketMessage,
  AuthStoreMessage,
  AuthThrottleMessage,
} from './diagnostics/messages.js';
export {
  AuthErrorCode,
  type AuthErrorName,
  type ErrorCode,
  type OwnErrorCode,
  type OwnErrorCodes,
} from './errors/auth-error-code.js';
export {
  type AuthErrorBody,
  AuthException,
  type AuthExceptionOptions,
  type OwnErrorOptions,
} from './errors/auth.exception.js';
export { IllegalStateException } from './errors/auth.exception.js';
export { AuthManager, type LoginBody, type LoginOptions } from './manager/auth.manager.js';
export { hasPermission, isPermission } from './routes/permission.js';
export type { FreshOptions } from './routes/fresh-options.js';
export {
  Authorize,
  OptionalUser,
  type OptionalUserOptions,
  Public,
  RequireFresh,
  type RequireOptions,
  RequirePermissions,
  RequireRoles,
  RequireToken,
} from './routes/require.decorators.js';
export type { MessageDecision, RouteAccess } from './route-report/route-access.js';
export { RouteAccessReport } from './route-report/route-access.report.js';
export type { RouteDecision } from './routes/route-rule.js';
