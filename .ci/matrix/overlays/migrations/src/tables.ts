import { kitAuthEntities, kitAuthMigrations } from 'kit-auth/typeorm';
import {
  kitAuthEntities as adminEntities,
  kitAuthMigrations as adminMigrations,
} from 'kit-auth-admin/typeorm';
import {
  kitAuthEntities as sessionEntities,
  kitAuthMigrations as sessionMigrations,
} from 'kit-auth-session/typeorm';

export const tables = {
  entities: [...kitAuthEntities, ...sessionEntities, ...adminEntities],
  migrations: [...kitAuthMigrations, ...sessionMigrations, ...adminMigrations],
  migrationsRun: true,
};
