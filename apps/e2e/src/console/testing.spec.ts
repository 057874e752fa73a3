import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KitAuthModule, RouteAccessReport } from 'kit-auth';
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

describe.each([
  ['Express', () => new ExpressAdapter(), '{*path}'],
  ['Fastify', () => new FastifyAdapter(), '*'],
])('the console on %s', (_platform, adapter, wildcard) => {
  it('is served in an application of a testing module', async () => {
    const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
    const app = module.createNestApplication(adapter());
    await app.listen(0, '127.0.0.1');
    const url = await app.getUrl();
    for (const path of ['', '/users', '/users/17/sessions']) {
      expect((await fetch(`${url}/auth-console${path}`)).status).toBe(200);
    }
    await app.close();
  });

  it('is in the route report as soon as the application is created', async () => {
    const app = await NestFactory.create(AppModule, adapter(), { logger: false });
    const paths = app
      .get(RouteAccessReport)
      .routes()
      .map(({ path }) => path);
    expect(paths.filter((path) => path.startsWith('/auth-console'))).toEqual([
      '/auth-console',
      `/auth-console/${wildcard}`,
    ]);
    await app.close();
  });
});
