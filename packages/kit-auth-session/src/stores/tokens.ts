/** Injection token of the database store. Undefined in applications without the default user store. */
export const DATABASE_SESSION_STORE = Symbol('kit-auth-session.database-store');
