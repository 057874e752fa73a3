export { AuthSession } from './stores/auth-session.entity.js';
export { kitAuthEntities, kitAuthMigrations } from './stores/database.migrations.js';
