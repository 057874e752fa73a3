import { kitAuthEntities, kitAuthMigrations } from 'kit-auth/typeorm';
import {
  kitAuthEntities as adminEntities,
  kitAuthMigrations as adminMigrations,
} from 'kit-auth-admin/typeorm';
import {
  kitAuthEntities as refreshEntities,
  kitAuthMigrations as refreshMigrations,
} from 'kit-auth-refresh/typeorm';
import {
  kitAuthEntities as sessionEntities,
  kitAuthMigrations as sessionMigrations,
} from 'kit-auth-session/typeorm';

export const tables = {
  entities: [...kitAuthEntities, ...sessionEntities, ...refreshEntities, ...adminEntities],
  migrations: [...kitAuthMigrations, ...sessionMigrations, ...refreshMigrations, ...adminMigrations],
  migrationsRun: true,
};
