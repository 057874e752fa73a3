import type { Peer } from './peer.js';

/** Every application of the benchmark, by the name that the tables have; loaded when it is started. */
export const PEERS = {
  'no authentication, Fastify': async () => (await import('./bare.js')).bare('fastify'),
  'no authentication, Express': async () => (await import('./bare.js')).bare('express'),
  'no authentication, Fastify and SQLite': async () => (await import('./bare.js')).bareWithDatabase(),
  'AsyncLocalStorage alone': async () => (await import('./bare.js')).context(),
  'documentation guard, Fastify': async () =>
    (await import('./documentation.js')).documentation('fastify', 'string'),
  'documentation guard with KeyObject, Fastify': async () =>
    (await import('./documentation.js')).documentation('fastify', 'KeyObject'),
  'documentation guard, Express': async () =>
    (await import('./documentation.js')).documentation('express', 'string'),
  'documentation guard with KeyObject, Express': async () =>
    (await import('./documentation.js')).documentation('express', 'KeyObject'),
  'passport-jwt, Express': async () => (await import('./passport-jwt.js')).passportJwt('express', 'string'),
  'passport-jwt with a KeyObject, Express': async () =>
    (await import('./passport-jwt.js')).passportJwt('express', 'KeyObject'),
  '@fastify/jwt': async () => (await import('./fastify-jwt.js')).fastifyJwtPeer(false),
  '@fastify/jwt with cache': async () => (await import('./fastify-jwt.js')).fastifyJwtPeer(true),
  '@fastify/jwt with EdDSA': async () => (await import('./fastify-jwt.js')).fastifyJwtWithEdDSA(),
  'jose with EdDSA': async () => (await import('./jose.js')).jose(),
  'hand-written Redis guard': async () => (await import('./redis-guard.js')).redisGuard(),
  'express-session on Redis': async () => (await import('./express-session.js')).expressSession(),
  'better-auth bearer on SQLite': async () =>
    (await import('./better-auth.js')).betterAuthPeer('fastify', 'bearer'),
  'better-auth with cookie cache': async () =>
    (await import('./better-auth.js')).betterAuthPeer('fastify', 'cookie cache'),
  'kit-auth-jwt, Fastify': async () => (await import('./kit-auth-jwt.js')).kitAuthJwt('fastify'),
  'kit-auth-jwt, Express': async () => (await import('./kit-auth-jwt.js')).kitAuthJwt('express'),
  'kit-auth-jwt with EdDSA, Fastify': async () => (await import('./kit-auth-jwt.js')).kitAuthJwtWithEdDSA(),
  'kit-auth-jwt with refresh tokens, Fastify': async () =>
    (await import('./kit-auth-refresh.js')).kitAuthRefresh(),
  'kit-auth-session in memory, users cached': async () =>
    (await import('./kit-auth-session.js')).kitAuthSession('memory', { cached: true }),
  'kit-auth-session on Redis': async () => (await import('./kit-auth-session.js')).kitAuthSession('redis'),
  'kit-auth-session on Redis, users cached': async () =>
    (await import('./kit-auth-session.js')).kitAuthSession('redis', { cached: true }),
  'kit-auth-session on SQLite': async () =>
    (await import('./kit-auth-session.js')).kitAuthSession('database'),
  'kit-auth-session on PostgreSQL': async () =>
    (await import('./kit-auth-session.js')).kitAuthSession('database', { database: 'postgres' }),
  'kit-auth-email, Fastify': async () => (await import('./kit-auth-email.js')).kitAuthEmail(),
  'no authentication, ws and Express': async () => (await import('./kit-auth-sockets.js')).bareSockets(),
  'kit-auth-sockets, ws and Express': async () => (await import('./kit-auth-sockets.js')).kitAuthSockets(),
  'kit-auth with everything, grown': async () => (await import('./kit-auth-grown.js')).kitAuthGrown(),
} satisfies Record<string, () => Promise<Peer>>;

export type PeerName = keyof typeof PEERS;
