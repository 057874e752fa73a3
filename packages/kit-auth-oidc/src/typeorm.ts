export {
  AuthIdentity,
  AuthIdentityLogin,
  AuthIdentityLogout,
  kitAuthEntities,
  kitAuthMigrations,
} from './stores/identity.tables.js';
