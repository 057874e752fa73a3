import { describe, expect, it } from '@jest/globals';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { RequireRoles } from '../access/require.decorators.js';
import type { KitAuthSettings } from '../contract/settings.js';
import { AuthGuard } from './auth.guard.js';

class Gateway {
  free() {}

  @RequireRoles('editor')
  closed() {}
}

@RequireRoles('editor')
class ClosedGateway extends Gateway {}

const guard = new AuthGuard(
  { enabled: true } as KitAuthSettings,
  ...([] as unknown as [never, never, never, never]),
);

describe.each(['ws', 'rpc'])('a message of type %s', (type) => {
  const ask = (gateway: typeof Gateway, handler: keyof Gateway) => {
    const context = new ExecutionContextHost([], gateway, Reflect.get(gateway.prototype, handler));
    context.setType(type);
    return guard.canActivate(context);
  };

  it('passes, unless its handler asks for roles that a message cannot have', () => {
    expect(ask(Gateway, 'free')).toBe(true);
    expect(() => ask(Gateway, 'closed')).toThrow(expect.objectContaining({ code: 40100 }));
    expect(() => ask(ClosedGateway, 'free')).toThrow(expect.objectContaining({ code: 40100 }));
  });
});
