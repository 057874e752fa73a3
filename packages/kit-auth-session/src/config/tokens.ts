/** Injection tokens inside this package. */
export const SESSION_MODE = Symbol('kit-auth-session.mode');
export const SESSION_STORE = Symbol('kit-auth-session.store');
