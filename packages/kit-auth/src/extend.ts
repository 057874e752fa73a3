export { NewPasswords } from './account/new-passwords.js';
export { type EndedSessions, SessionEnds } from './account/session-ends.js';
export { withinDeadline } from './errors/deadline.js';
export { DependencyFailureInterceptor } from './errors/dependency-failure.interceptor.js';
export { describeError } from './errors/describe-error.js';
export { plainText } from './errors/plain-text.js';
export { OnlyWhenEnabled } from './login/only-when-enabled.guard.js';
export { LoginThrottle } from './throttle/login.throttle.js';
