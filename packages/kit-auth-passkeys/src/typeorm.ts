export { AuthPasskeyUser } from './stores/auth-passkey-user.entity.js';
export { AuthPasskey } from './stores/auth-passkey.entity.js';
export { kitAuthEntities, kitAuthMigrations } from './stores/passkey.migrations.js';
