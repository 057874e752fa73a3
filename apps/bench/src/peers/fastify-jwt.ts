import { createPublicKey } from 'node:crypto';
import fastifyJwt from '@fastify/jwt';
import { Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ISSUER, KEY_PAIR, SECRET, TOKENS } from '../measure/tokens.js';
import { createApp, HelloController, type Peer } from './peer.js';

@Module({ controllers: [HelloController] })
class FastifyJwtApp {}

/** `@fastify/jwt`; its cache, where it is on, has room for every token of a run. */
export function fastifyJwtPeer(cache: boolean): Promise<Peer> {
  return peerWith({ secret: SECRET, verify: { algorithms: ['HS256'], cache: cache && 2 * TOKENS } });
}

/** With the public key, and without a cache. */
export function fastifyJwtWithEdDSA(): Promise<Peer> {
  const pem = createPublicKey(KEY_PAIR.key).export({ format: 'pem', type: 'spki' });
  return peerWith({ secret: { public: pem }, verify: { algorithms: ['EdDSA'], allowedIss: ISSUER } });
}

async function peerWith(options: object): Promise<Peer> {
  const app = (await createApp(FastifyJwtApp, 'fastify')) as NestFastifyApplication;
  await app.register(fastifyJwt, options as never);
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
