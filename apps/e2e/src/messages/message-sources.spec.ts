import { describe, expect, it } from '@jest/globals';
import { type ExecutionContext, Injectable, Module } from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import {
  AUTH_MESSAGES,
  AuthErrorCode,
  AuthException,
  Authorize,
  type AuthMessages,
  type AuthPolicy,
  CurrentUser,
  type LoginUser,
  OptionalUser,
  type Principal,
  Public,
  RequireRoles,
  RequireToken,
} from 'kit-auth';
import { loginUser, testApp, until } from 'test-support';
import { WsTestSocket } from '../sockets/app.js';

const ran = (event: string) => ({ event, data: 'ran' });

@WebSocketGateway()
class Gateway {
  @RequireRoles('editor') @SubscribeMessage('edit') edit() {
    return ran('edit');
  }
  @OptionalUser({ invalid: 'anonymous' }) @SubscribeMessage('optional') optional() {
    return ran('optional');
  }
}

/** The user of a message is what its data says. */
@Injectable()
class ByData implements AuthMessages {
  readonly types = ['ws'] as const;
  readonly refused: number[] = [];

  async principalOf(context: ExecutionContext): Promise<Principal | undefined> {
    switch (context.switchToWs().getData<string | undefined>()) {
      case 'editor':
        return principal('editor');
      case 'user':
        return principal();
      case 'invalid':
        throw new AuthException(AuthErrorCode.TOKEN_INVALID, { reason: 'expired' });
      default:
        return undefined;
    }
  }

  refusal(error: AuthException): AuthException {
    this.refused.push(error.code);
    return error;
  }
}

function principal(...roles: string[]): Principal {
  return { user: loginUser({ roles }), proof: { factors: {} }, scheme: 'test', token: '' };
}

function moduleWith(...sources: object[]) {
  class SourceModule {}
  Module({ providers: [{ provide: AUTH_MESSAGES, useValue: sources }] })(SourceModule);
  return SourceModule;
}

describe('a source of the users of messages', () => {
  it('makes decorators work on messages, and hears of refusals', async () => {
    const source = new ByData();
    const app = await testApp({
      imports: [moduleWith(source)],
      providers: [Gateway],
      configure: (nest) => nest.useWebSocketAdapter(new WsAdapter(nest)),
    });
    const client = new WsTestSocket(`ws://127.0.0.1:${app.port}`, undefined);
    await until(() => (client.isOpen ? true : undefined));
    const ask = async (event: string, data?: string) => {
      const answer = (await client.ask(event, data)) as { code?: number };
      return answer.code ?? answer;
    };
    // All decorators and answers are in packages/kit-auth/src/guard/message.admission.spec.ts.
    const answers = [await ask('edit'), await ask('edit', 'user'), await ask('edit', 'editor')];
    expect(answers).toEqual([40100, 40300, 'ran']);
    expect([await ask('edit', 'invalid'), await ask('optional', 'invalid')]).toEqual([40101, 'ran']);
    expect(source.refused).toEqual([40100, 40300, 40101]);
    client.leave();
  });

  it('lets start-up look at the decorators of messages and connections', async () => {
    class Missing implements AuthPolicy {
      can = () => true;
    }
    @WebSocketGateway()
    class OfMessage {
      @Authorize(Missing) @SubscribeMessage('x') x() {}
    }
    @Authorize(Missing)
    @WebSocketGateway()
    class OfConnection {}
    @WebSocketGateway()
    class Both {
      @Public() @RequireToken() handleConnection() {}
    }
    @WebSocketGateway()
    class Gone {
      @RequireToken() handleDisconnect() {}
    }
    @WebSocketGateway()
    class Blind {
      handleConnection(@CurrentUser() user?: LoginUser) {
        return user;
      }
    }
    @WebSocketGateway()
    class BlindToo extends Blind {
      handleDisconnect(@CurrentUser() user?: LoginUser) {
        return user;
      }
    }
    for (const [gateway, message] of [
      [OfMessage, /^@Authorize\(Missing\): no module provides the policy/],
      [OfConnection, /^@Authorize\(Missing\): no module provides the policy/],
      [Both, /^Both: handleConnection is @Public\(\) and asks for a token/],
      [Gone, /^Access decorators have no effect on Gone.handleDisconnect\(\)/],
      [
        BlindToo,
        /^@CurrentUser\(\) has no effect on BlindToo\.handleConnection\(\), BlindToo\.handleDisconnect\(\)/,
      ],
    ] as const) {
      const starting = testApp({ imports: [moduleWith(new ByData())], providers: [gateway] });
      await expect(starting).rejects.toThrow(message);
    }
  });
});
