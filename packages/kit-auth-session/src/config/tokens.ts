/** Injection tokens inside this package. */
export const SESSION_MODE = Symbol.for('kit-auth-session.mode');
export const SESSION_STORE = Symbol.for('kit-auth-session.store');
