import { KitAuthJwtModule } from 'kit-auth-jwt';
import { ISSUER, KEY_PAIR } from '../measure/tokens.js';
import { addUsers, LOGIN_USERS, rootModule } from './kit-auth.js';
import { createApp, type Peer, type Platform } from './peer.js';
import { longestWait, watchThreadPool } from './thread-pool.js';

export async function kitAuthJwt(platform: Platform): Promise<Peer> {
  const app = await createApp(rootModule(KitAuthJwtModule, 'sqlite'), platform);
  return {
    app,
    answers: {
      'add users': () => addUsers(app, LOGIN_USERS),
      'begin to watch': async () => watchThreadPool(),
      'longest wait': async () => longestWait(),
      'remember a million': async () => (await import('./million.js')).rememberAMillion(app),
    },
  };
}

/** With a key pair instead of the secret. */
export async function kitAuthJwtWithEdDSA(): Promise<Peer> {
  const jwt = { keys: [KEY_PAIR], issuer: ISSUER };
  return { app: await createApp(rootModule(KitAuthJwtModule, 'sqlite', jwt), 'fastify') };
}
