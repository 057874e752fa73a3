import fastifyJwt from '@fastify/jwt';
import { Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SECRET, TOKENS } from '../measure/tokens.js';
import { createApp, HelloController, type Peer } from './peer.js';

@Module({ controllers: [HelloController] })
class FastifyJwtApp {}

/** `@fastify/jwt`; its cache, where it is on, has room for every token of a run. */
export async function fastifyJwtPeer(cache: boolean): Promise<Peer> {
  const app = (await createApp(FastifyJwtApp, 'fastify')) as NestFastifyApplication;
  await app.register(fastifyJwt, {
    secret: SECRET,
    verify: { algorithms: ['HS256'], cache: cache && 2 * TOKENS },
  } as never);
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', async (request, reply) => {
    try {
      await request.jwtVerify();
    } catch (error) {
      return reply.send(error);
    }
  });
  return { app };
}
