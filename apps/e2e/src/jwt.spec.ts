import { afterAll, beforeAll, describe } from '@jest/globals';
import { describeAuthProvider } from 'kit-auth-testing';
import { JwtAuthProvider } from '../../../packages/kit-auth-jwt/src/jwt.provider.js';
import { type Running, start } from './platforms.js';
import { ShopModule } from './shop.module.js';

describe('kit-auth-jwt', () => {
  let running: Running;
  beforeAll(async () => {
    running = await start(ShopModule.with({ password: { cost: 10 } }));
  });
  afterAll(() => running.app.close());

  describeAuthProvider('jwt-stateless', { canInvalidate: false }, () => ({
    provider: running.app.get(JwtAuthProvider, { strict: false }),
    user: {
      userId: 7,
      username: 'ada',
      nickname: 'Ada',
      superAdmin: false,
      roles: ['a'],
      permissions: ['b:c'],
    },
  }));
});
