export { AuthPasskey, AuthPasskeyUser } from './stores/auth-passkey.entity.js';
export { kitAuthEntities, kitAuthMigrations } from './stores/passkey.migrations.js';
