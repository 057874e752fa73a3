export { AuthRecoveryCode } from './stores/auth-recovery-code.entity.js';
export { AuthTotp } from './stores/auth-totp.entity.js';
export { kitAuthEntities, kitAuthMigrations } from './stores/factor.migrations.js';
