export { AuthRecoveryCode, AuthTotp } from './stores/factor.entities.js';
export { kitAuthEntities, kitAuthMigrations } from './stores/factor.migrations.js';
