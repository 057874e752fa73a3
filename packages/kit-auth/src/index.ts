export { KitAuthModule } from './kit-auth.module.js';
export type { AuthPolicy } from './access/auth-policy.js';
export { hasPermission, isPermission } from './access/permission.js';
export {
  Authorize,
  type RequireOptions,
  RequirePermissions,
  RequireRoles,
  RequireToken,
} from './access/require.decorators.js';
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
export type { LoginLimiter, LoginLimiterFactory, LoginLimiterOptions } from './contract/login-limiter.js';
export type { LoginResult, LoginUser, UserSummary } from './contract/login-user.js';
export { KIT_AUTH_SETTINGS, type KitAuthSettings, type LoginThrottleSettings } from './contract/settings.js';
export { AuthErrorCode, type AuthErrorName } from './errors/auth-error-code.js';
export { type AuthErrorBody, AuthException, type AuthExceptionOptions } from './errors/auth.exception.js';
export { IllegalStateException } from './errors/illegal-state.exception.js';
export { TroubleInterceptor } from './errors/trouble.interceptor.js';
export {
  AUTH_EVENT_SINK,
  type AuthAction,
  type AuthEvent,
  type AuthEventSink,
  type AuthEventType,
  type NotedEvent,
} from './events/auth-event.js';
export { AuthEvents } from './events/auth-events.js';
export { plainText } from './events/plain-text.js';
export { OnlyWhenEnabled } from './guard/only-when-enabled.guard.js';
export { KitAuth, type RouteAccess } from './guard/kit-auth.js';
export { Public } from './guard/public.decorator.js';
export type { RouteDecision } from './guard/route-rule.js';
export { AuthManager } from './provider/auth.manager.js';
export { type EndedSessions, SessionEnds } from './provider/session-ends.js';
export { type AccountChange, AccountChanges, type ChangeQueue } from './rbac/account-changes.js';
export { AuthRole, SUPER_ADMIN } from './rbac/auth-role.entity.js';
export { AuthUser, AuthUserStatus, newSecurityStamp } from './rbac/auth-user.entity.js';
export { type LoginUserRow, LoginUsers, type Statement } from './rbac/login-users.js';
export { isUnusableText, noneIfUnusable } from './rbac/unusable-text.js';
export { UserPasswords } from './rbac/user-passwords.js';
export { LoginThrottle } from './throttle/login.throttle.js';
