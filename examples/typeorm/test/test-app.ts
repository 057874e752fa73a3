import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { App } from 'supertest/types';
import { DataSource } from 'typeorm';
import { AppModule } from '../src/app.module';
import { options } from '../src/data-source';

/** Creates the tables by the migrations, and starts the application. */
export async function startApp(): Promise<INestApplication<App>> {
  const dataSource = await new DataSource(options).initialize();
  await dataSource.dropDatabase();
  await dataSource.runMigrations();
  await dataSource.destroy();
  const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
  return module.createNestApplication().init();
}
