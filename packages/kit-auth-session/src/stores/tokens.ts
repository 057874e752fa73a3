/** Injection token of the database store. Undefined in applications without a data source of TypeORM. */
export const DATABASE_SESSION_STORE = Symbol.for('kit-auth-session.database-store');
