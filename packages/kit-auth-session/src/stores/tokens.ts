/**
 * Injection token of a function that creates the database store. Undefined in applications without a data source of
 * TypeORM. A function, so that applications with other stores do not create one: `kit-auth doctor` would look for its
 * table.
 */
export const DATABASE_SESSION_STORE = Symbol.for('kit-auth-session.database-store');
