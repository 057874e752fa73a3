/** Injection token of the store inside this package. */
export const LOGIN_STORE = Symbol.for('kit-auth-refresh.login-store');
