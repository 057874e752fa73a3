export { kitAuthEntities, kitAuthMigrations } from './stores/address.migrations.js';
export { AuthUserEmail } from './stores/auth-user-email.entity.js';
