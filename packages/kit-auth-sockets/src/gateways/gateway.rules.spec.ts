import { afterEach, describe, expect, it } from '@jest/globals';
import { Injectable, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { KitAuthModule, OptionalUser, Public, RequireRoles, RequireToken } from 'kit-auth';
import { MessageExplorer, RouteRules } from 'kit-auth/tools';
import { moduleOf, PlainUsersModule } from 'test-support';
import { type KitAuthSocketsOptions, socketsOptions } from '../sockets.options.js';
import { KitAuthSocketsModule } from '../kit-auth-sockets.module.js';
import { GatewayRules } from './gateway.rules.js';

class Chat {
  @SubscribeMessage('who')
  who() {}
}
@WebSocketGateway({ path: '/plain' })
class Plain extends Chat {}
@Injectable()
class Inheriting extends Plain {}
@WebSocketGateway({ path: '/roles' })
@RequireRoles('editor')
class OfEditors extends Chat {}
@WebSocketGateway({ path: '/handler' })
class WithHandler {
  @SubscribeMessage('mine')
  @RequireToken()
  mine() {}
}
@WebSocketGateway({ path: '/hook' })
class WithHook extends Chat {
  @RequireToken()
  handleConnection() {}
}
@WebSocketGateway({ path: '/public' })
@Public()
class Open extends Chat {}
@WebSocketGateway({ path: '/public' })
class Beside extends Chat {}
@WebSocketGateway({ path: '/greeting' })
@Public()
class Greeting {
  @SubscribeMessage('who')
  @OptionalUser()
  who() {}
}
@WebSocketGateway({ path: '/greeting' })
@Public()
class Lenient {
  @SubscribeMessage('who')
  @OptionalUser({ invalid: 'anonymous' })
  who() {}
}

describe('the rule of a server', () => {
  let app: TestingModule | undefined;
  afterEach(() => app?.close());

  async function rulesOf(providers: Type[], sockets: KitAuthSocketsOptions = {}): Promise<GatewayRules> {
    const module = await moduleOf({
      database: false,
      core: KitAuthModule.forRoot({ users: PlainUsersModule }),
      imports: [KitAuthSocketsModule.forRoot(sockets)],
      providers,
    });
    const created = (app = await Test.createTestingModule({ imports: [module] }).compile());
    const get = <T>(token: Type<T> | symbol) => created.get<T>(token, { strict: false });
    return new GatewayRules(get(MessageExplorer), get(RouteRules), get(socketsOptions.token));
  }

  it.each<['protected' | 'decorated', string, Type[], expected: string]>([
    ['protected', '/plain', [Plain], 'needs reads'],
    ['protected', '/plain', [Inheriting], 'needs reads'],
    ['protected', '/nowhere', [Plain], 'needs reads'],
    ['protected', '/public', [Open], ''],
    ['protected', '/public', [Open, Beside], 'needs reads'],
    ['protected', '/greeting', [Greeting], 'reads'],
    ['protected', '/greeting', [Greeting, Lenient], 'reads ignores'],
    ['decorated', '/plain', [Plain], ''],
    ['decorated', '/nowhere', [Plain], ''],
    ['decorated', '/roles', [OfEditors], 'needs reads'],
    ['decorated', '/handler', [WithHandler], 'needs reads'],
    ['decorated', '/hook', [WithHook], 'needs reads'],
  ])('with gateways: %s at %s', async (gateways, path, providers, expected) => {
    const rules = await rulesOf(providers, { gateways });
    const server = {};
    rules.note(server, 0, { path });
    const { needsToken, readsToken, ignoresInvalid, name } = rules.of(server);
    const found = { needs: needsToken, reads: readsToken, ignores: ignoresInvalid };
    expect(
      Object.entries(found)
        .flatMap(([word, is]) => (is ? word : []))
        .join(' '),
    ).toBe(expected);
    const names = providers.map((gateway) => gateway.name).join(', ');
    expect(name).toBe(path === '/nowhere' ? 'a namespace without a gateway' : names);
  });

  it('closes a server that the adapter of the application has not created', async () => {
    expect((await rulesOf([Plain])).of({}).needsToken).toBe(true);
  });

  it('is of all gateways that it is known to have, on one port', async () => {
    @WebSocketGateway(81, { path: '/plain' })
    class OwnPort extends Chat {}
    const rules = await rulesOf([Plain, OwnPort, OfEditors]);
    const server = {};
    rules.note(server, 0, { path: '/plain' });
    expect(rules.of(server).name).toBe('Plain');
    rules.note(server, 0, { path: '/roles' });
    expect(rules.of(server).name).toBe('Plain, OfEditors');
    rules.note(server, 81, { path: '/plain' });
    expect(rules.of(server).name).toBe('Plain, OfEditors, OwnPort');
  });

  it.each([
    ['chat', '/chat', true],
    ['/chat', 'chat', true],
    ['/', '/', true],
    ['', undefined, true],
    [undefined, '', true],
    ['chat', 'chats', false],
    ['/', undefined, false],
    [/^\/chat-/, /^\/chat-/, false],
  ])('has the gateway of the namespace %p at %p: %s', async (written, found, isSame) => {
    @WebSocketGateway({ namespace: written as string })
    class Namespace extends Chat {}
    const rules = await rulesOf([Namespace]);
    const server = {};
    rules.note(server, 0, { namespace: found });
    expect(rules.of(server).gateways).toHaveLength(isSame ? 1 : 0);
  });
});
