/**
 * Injection token of a function that makes the database store. Undefined in applications without a data source of TypeORM.
 * Other stores must not make one: `kit-auth doctor` would look for its table.
 */
export const DATABASE_SESSION_STORE = Symbol.for('kit-auth-session.database-store');
