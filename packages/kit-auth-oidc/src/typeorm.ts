export { AuthIdentityLogin } from './stores/auth-identity-login.entity.js';
export { AuthIdentityLogout } from './stores/auth-identity-logout.entity.js';
export { AuthIdentity } from './stores/auth-identity.entity.js';
export { kitAuthEntities, kitAuthMigrations } from './stores/identity.migrations.js';
