export { AuthApiKey } from './stores/auth-api-key.entity.js';
export { kitAuthEntities, kitAuthMigrations } from './stores/key.migrations.js';
