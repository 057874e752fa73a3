import { expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KitAuthModule } from 'kit-auth';
import { KitAuthAdminModule } from 'kit-auth-admin';
import { KitAuthBrowserModule } from 'kit-auth-browser';
import { KitAuthConsoleModule } from 'kit-auth-console';
import { KitAuthSessionModule } from 'kit-auth-session';
import { sqliteInMemory } from 'test-support';

@Module({
  imports: [
    TypeOrmModule.forRoot(sqliteInMemory()),
    KitAuthModule.forRoot({ password: { cost: 10 } }),
    KitAuthSessionModule,
    KitAuthBrowserModule,
    KitAuthAdminModule,
    KitAuthConsoleModule,
  ],
})
class AppModule {}

it.each([
  ['Express', new ExpressAdapter()],
  ['Fastify', new FastifyAdapter()],
])('the console is served on %s in an application of a testing module', async (_, adapter) => {
  const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
  const app = module.createNestApplication(adapter);
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  expect((await fetch(`${url}/auth-console`)).status).toBe(200);
  await app.close();
});
