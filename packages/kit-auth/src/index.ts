export { KitAuthModule } from './kit-auth.module.js';
export type { AuthPolicy } from './contract/auth-policy.js';
export { hasPermission, isPermission } from './routes/permission.js';
export {
  Authorize,
  type RequireOptions,
  RequirePermissions,
  RequireRoles,
  RequireToken,
} from './routes/require.decorators.js';
export type {
  KitAuthAccessOptions,
  KitAuthJwtOptions,
  KitAuthLoginOptions,
  KitAuthLoginThrottleOptions,
  KitAuthOptions,
  KitAuthOptionsFactory,
  KitAuthPasswordOptions,
} from './config/kit-auth.options.js';
export { kitAuthConfig } from './config/kit-auth.config.js';
export { type Client, CurrentUser, KitAuthContext } from './context/kit-auth.context.js';
export { AUTH_PROVIDER, type AuthProvider } from './contract/auth-provider.js';
export type { AuthSessions, EndAllOptions, SessionEndReason, SessionInfo } from './contract/auth-sessions.js';
export type {
  LoginLimiter,
  LoginLimiterFactory,
  LoginLimiterOptions,
  LoginLimiterResult,
} from './contract/login-limiter.js';
export type { LoginResult, LoginUser, UserSummary } from './contract/login-user.js';
export { KIT_AUTH_SETTINGS, type KitAuthSettings, type LoginThrottleSettings } from './contract/settings.js';
export { AuthErrorCode, type AuthErrorName } from './errors/auth-error-code.js';
export { type AuthErrorBody, AuthException, type AuthExceptionOptions } from './errors/auth.exception.js';
export { IllegalStateException } from './errors/illegal-state.exception.js';
export { DependencyFailureInterceptor } from './errors/dependency-failure.interceptor.js';
export {
  AUTH_EVENT_SINK,
  type AuthAction,
  type AuthEvent,
  type AuthEventSink,
  type AuthEventType,
  type NotedEvent,
} from './contract/auth-event.js';
export { AuthEvents } from './events/auth-events.js';
export { plainText } from './errors/plain-text.js';
export { OnlyWhenEnabled } from './login/only-when-enabled.guard.js';
export { RouteAccessReport, type RouteAccess } from './routes/route-access.report.js';
export { Public } from './routes/public.decorator.js';
export type { RouteDecision } from './routes/route-rule.js';
export { AuthManager } from './login/auth.manager.js';
export { type EndedSessions, SessionEnds } from './account/session-ends.js';
export { type AccountChange, AccountChanges, type ChangeQueue } from './users/typeorm/account-changes.js';
export { AuthRole, SUPER_ADMIN } from './users/typeorm/auth-role.entity.js';
export { AuthUser, AuthUserStatus, newSecurityStamp } from './users/typeorm/auth-user.entity.js';
export { type LoginUserRow, LoginUserLoader, type Statement } from './users/typeorm/login-user.loader.js';
export { isUnusableText, noneIfUnusable } from './users/typeorm/unusable-text.js';
export { NewPasswords } from './account/new-passwords.js';
export { LoginThrottle } from './throttle/login.throttle.js';
