import { AsyncLocalStorage } from 'node:async_hooks';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { FastifyInstance } from 'fastify';
import { forgetAMillion } from './busy.js';
import { databaseOf } from './databases.js';
import { createApp, HelloController, type Peer, type Platform } from './peer.js';

@Module({ controllers: [HelloController] })
class BareApp {}

/** No authentication: the floor. */
export async function bare(platform: Platform): Promise<Peer> {
  return { app: await createApp(BareApp, platform) };
}

/** No authentication, with a database: the floor of start-up and memory. */
export async function bareWithDatabase(): Promise<Peer> {
  @Module({ imports: [TypeOrmModule.forRoot(databaseOf('sqlite'))] })
  class BareAppWithDatabase extends BareApp {}
  Reflect.defineMetadata('controllers', [HelloController], BareAppWithDatabase);
  return {
    app: await createApp(BareAppWithDatabase, 'fastify'),
    answers: { 'forget a million': forgetAMillion },
  };
}

/** No authentication, but a request context: what `AsyncLocalStorage` alone costs. */
export async function context(): Promise<Peer> {
  const { app } = await bare('fastify');
  const storage = new AsyncLocalStorage<object>();
  const fastify = app.getHttpAdapter().getInstance() as FastifyInstance;
  fastify.addHook('preHandler', (_request, _reply, done) => storage.run({}, done));
  return { app };
}
