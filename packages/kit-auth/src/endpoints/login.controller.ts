import {
  type FactoryProvider,
  Header,
  HttpCode,
  HttpStatus,
  Inject,
  Injectable,
  Post,
  Req,
  Res,
} from '@nestjs/common';
import { HttpAdapterHost, ModuleRef, ModulesContainer } from '@nestjs/core';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import type { TransportExchange } from '../contract/token-transport.js';
import { AUTH_USER_STORE, type AuthUserStore } from '../contract/user-store.js';
import { AuthManager } from '../login/auth.manager.js';
import { type JsonRequest, KitAuthController, readTexts } from './endpoint.js';
import { type LoginAnswer, LoginFlow } from '../login/login.flow.js';
import { askTransport, Ports, transportRequestOf } from '../ports/ports.js';
import { Public } from '../routes/require.decorators.js';

/**
 * Passes the answers of a login and of a logout to the token transport, if the application has one. Endpoints that
 * complete a login use it, so that they work with cookies too.
 *
 * @example
 * ```ts
 * @Post('factor')
 * @Public()
 * async factor(@Req() request: JsonRequest, @Res({ passthrough: true }) response: unknown): Promise<object> {
 *   return this.exchanges.write(await this.secondFactor.complete(request), request, response);
 * }
 * ```
 */
@Injectable()
export class TransportExchanges {
  constructor(
    private readonly ports: Ports,
    private readonly adapterHost: HttpAdapterHost,
    private readonly manager: AuthManager,
  ) {}

  /**
   * @returns the body to send
   * @throws AuthException of the transport. The login is ended then, because no client gets its tokens
   */
  async write({ endsAt, ...answer }: LoginAnswer, request: object, response: unknown): Promise<object> {
    const { transport } = this.ports;
    if (transport === undefined) {
      return answer;
    }
    try {
      return await transport.write(answer, { ...this.exchange(request, response), endsAt });
    } catch (error) {
      await this.manager.logout(answer.token);
      throw error;
    }
  }

  /** The refresh token of a request whose body has none. @throws AuthException of the transport */
  readRefreshToken(request: object): string | undefined {
    return askTransport(this.ports.transport, request, (transport, transportRequest) =>
      transport.readRefreshToken?.(transportRequest),
    );
  }

  clear(request: object, response: unknown): void {
    this.ports.transport?.clear(this.exchange(request, response));
  }

  private exchange(request: object, response: unknown): TransportExchange {
    const transportRequest = transportRequestOf(request);
    if (transportRequest === undefined) {
      throw new TypeError('there is no HTTP request');
    }
    const { httpAdapter } = this.adapterHost;
    return {
      request: transportRequest,
      setHeader: (name, value) => void httpAdapter.setHeader(response, name, value),
      appendHeader: (name, value) =>
        isReply(response)
          ? appendToReply(response, name, value)
          : void httpAdapter.appendHeader(response, name, value),
    };
  }
}

/** The response of Fastify. */
interface Reply {
  readonly raw: object;
  getHeader(name: string): string | number | string[] | undefined;
  removeHeader(name: string): unknown;
  header(name: string, value: string[]): unknown;
}

function isReply(response: unknown): response is Reply {
  return typeof response === 'object' && response !== null && 'raw' in response;
}

/** The adapter of Nest 11 loses headers that a middleware has set on Node's response, such as cookies. */
function appendToReply(reply: Reply, name: string, value: string): void {
  const before = [reply.getHeader(name) ?? []].flat().map(String);
  reply.removeHeader(name);
  reply.header(name, [...before, value]);
}

/** The login with a password. Exists only if the user store can find accounts by name. */
@KitAuthController()
export class KitAuthLoginController {
  constructor(
    private readonly flow: LoginFlow,
    private readonly exchanges: TransportExchanges,
  ) {}

  @Post('login')
  @Public()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async login(@Req() request: JsonRequest, @Res({ passthrough: true }) response: unknown): Promise<object> {
    const { username, password } = readTexts(request, ['username', 'password']);
    return this.exchanges.write(await this.flow.logIn(username, password), request, response);
  }
}

/**
 * Removes `POST login` if the user store cannot find accounts by name. This happens while the application is created,
 * so that no router, route report or OpenAPI document has read the controllers yet.
 */
export const loginEndpoint: FactoryProvider<Promise<void>> = {
  provide: Symbol.for('kit-auth.login-endpoint'),
  inject: [ModulesContainer, KIT_AUTH_SETTINGS],
  useFactory: async (modules: ModulesContainer, { enabled }: KitAuthSettings) => {
    const store = enabled ? await storeIn(modules) : undefined;
    if (store !== undefined && typeof store.findByUsername !== 'function') {
      for (const { controllers } of modules.values()) {
        controllers.delete(KitAuthLoginController);
      }
    }
  },
};

/** Needs the store in its constructor, so that Nest creates that first. */
class StoreReader {
  constructor(@Inject(AUTH_USER_STORE) readonly store: AuthUserStore | undefined) {}
}

/** @returns undefined if there is none, or if it cannot be created, which start-up reports */
async function storeIn(modules: ModulesContainer): Promise<AuthUserStore | undefined> {
  const holder = [...modules.values()].find(({ providers }) => providers.has(AUTH_USER_STORE));
  const moduleRef = holder?.providers.get(ModuleRef)?.instance as ModuleRef | undefined;
  return moduleRef?.create(StoreReader).then(
    ({ store }) => store ?? undefined,
    () => undefined,
  );
}
