export { AuthLogin } from './stores/auth-login.entity.js';
export { kitAuthEntities, kitAuthMigrations } from './stores/login.migrations.js';
