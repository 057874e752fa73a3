import { MikroORM } from '@mikro-orm/core';
import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { App } from 'supertest/types';
import { AppModule } from '../src/app.module';

/** Starts the application with empty tables. */
export async function startApp(): Promise<INestApplication<App>> {
  const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
  await module.get(MikroORM).schema.refreshDatabase();
  return module.createNestApplication().init();
}
