import { kitAuthEntities as oneTimeEntities, kitAuthMigrations as oneTimeMigrations } from 'kit-auth/store';
import { kitAuthEntities, kitAuthMigrations } from 'kit-auth/typeorm';
import {
  kitAuthEntities as adminEntities,
  kitAuthMigrations as adminMigrations,
} from 'kit-auth-admin/typeorm';
import {
  kitAuthEntities as emailEntities,
  kitAuthMigrations as emailMigrations,
} from 'kit-auth-email/typeorm';
import {
  kitAuthEntities as factorEntities,
  kitAuthMigrations as factorMigrations,
} from 'kit-auth-factors/typeorm';
import { kitAuthEntities as keyEntities, kitAuthMigrations as keyMigrations } from 'kit-auth-keys/typeorm';
import {
  kitAuthEntities as identityEntities,
  kitAuthMigrations as identityMigrations,
} from 'kit-auth-oidc/typeorm';
import {
  kitAuthEntities as passkeyEntities,
  kitAuthMigrations as passkeyMigrations,
} from 'kit-auth-passkeys/typeorm';
import {
  kitAuthEntities as refreshEntities,
  kitAuthMigrations as refreshMigrations,
} from 'kit-auth-refresh/typeorm';
import {
  kitAuthEntities as sessionEntities,
  kitAuthMigrations as sessionMigrations,
} from 'kit-auth-session/typeorm';

export const tables = {
  entities: [
    ...kitAuthEntities,
    ...oneTimeEntities,
    ...sessionEntities,
    ...refreshEntities,
    ...adminEntities,
    ...emailEntities,
    ...factorEntities,
    ...keyEntities,
    ...identityEntities,
    ...passkeyEntities,
  ],
  migrations: [
    ...kitAuthMigrations,
    ...oneTimeMigrations,
    ...sessionMigrations,
    ...refreshMigrations,
    ...adminMigrations,
    ...emailMigrations,
    ...factorMigrations,
    ...keyMigrations,
    ...identityMigrations,
    ...passkeyMigrations,
  ],
  migrationsRun: true,
};
