import { describe, expect, it } from '@jest/globals';
import { ApplicationConfig, ModulesContainer, Reflector } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { FreshLogins, RouteRules } from '../routes/route-rules.js';
import { Public, RequireFresh, RequireRoles } from '../routes/require.decorators.js';
import type { KitAuthSettings } from '../contract/settings.js';
import { AuthGuard } from './auth.guard.js';
import type { Ports } from '../ports/ports.js';
import { TokenReader } from './token.reader.js';

class Gateway {
  free() {}

  @RequireRoles('editor')
  closed() {}

  @RequireFresh()
  fresh() {}

  @Public()
  open() {}
}

@RequireRoles('editor')
class ClosedGateway extends Gateway {}

const settings = {
  enabled: true,
  protect: ['/v1/**'],
  whiteList: [],
  tokenHeader: 'Authorization',
  tokenPrefix: 'Bearer ',
} as unknown as KitAuthSettings;
const modules = new ModulesContainer();
const guard = new AuthGuard(
  settings,
  new RouteRules(new Reflector(), new ApplicationConfig(), modules, new FreshLogins(modules), settings),
  new TokenReader(settings, {} as Ports),
  ...([] as unknown as [never, never, never]),
);

describe.each(['ws', 'rpc'])('a message of type %s', (type) => {
  const ask = (gateway: typeof Gateway, handler: keyof Gateway) => {
    const context = new ExecutionContextHost([], gateway, Reflect.get(gateway.prototype, handler));
    context.setType(type);
    return guard.canActivate(context);
  };

  it('passes, unless its handler asks for roles or a fresh login, which a message cannot have', () => {
    expect(ask(Gateway, 'free')).toBe(true);
    expect(() => ask(Gateway, 'closed')).toThrow(expect.objectContaining({ code: 40100 }));
    expect(() => ask(Gateway, 'fresh')).toThrow(expect.objectContaining({ code: 40100 }));
    expect(() => ask(ClosedGateway, 'free')).toThrow(expect.objectContaining({ code: 40100 }));
    expect(ask(ClosedGateway, 'open')).toBe(true);
  });
});

describe('a call without a request', () => {
  // As libraries make with ExternalContextCreator, whose contexts are of type http unless they say otherwise.
  const ask = (handler: keyof Gateway) =>
    guard.canActivate(new ExecutionContextHost([], Gateway, Reflect.get(Gateway.prototype, handler)));

  it('passes to public handlers only', () => {
    expect(ask('open')).toBe(true);
    expect(() => ask('free')).toThrow(expect.objectContaining({ code: 40100 }));
    expect(() => ask('closed')).toThrow(expect.objectContaining({ code: 40100 }));
  });
});
