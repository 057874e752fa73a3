import { describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { MessageExplorer, RouteRules } from 'kit-auth/extend';
import { moduleOf } from 'test-support';
import { socketsOptions } from '../config/sockets.options.js';
import { KitAuthSocketsModule } from '../kit-auth-sockets.module.js';
import { GatewayRules } from './gateway.rules.js';

describe('GatewayRules', () => {
  it('close a server without gateways', async () => {
    const module = await moduleOf({ database: 'sqlite', imports: [KitAuthSocketsModule] });
    const app = await Test.createTestingModule({ imports: [module] }).compile();
    const rules = new GatewayRules(
      app.get(MessageExplorer, { strict: false }),
      app.get(RouteRules, { strict: false }),
      app.get(socketsOptions.token, { strict: false }),
    );
    const server = {};
    expect(rules.of(server)).toMatchObject({ needsToken: true, readsToken: true, gateways: [] });
    rules.note(server, 0, { path: '/nowhere' });
    expect(rules.of(server).needsToken).toBe(true);
    await app.close();
  });
});
