/** Injection tokens of this package's own parts. */
export const RESOLVED_SESSION_OPTIONS = Symbol('kit-auth-session.resolved-options');
export const SESSION_MODE = Symbol('kit-auth-session.mode');
export const SESSION_STORE = Symbol('kit-auth-session.store');
