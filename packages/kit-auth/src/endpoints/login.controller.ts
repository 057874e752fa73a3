import { Header, HttpCode, HttpStatus, Inject, Post, Req, Res } from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from '../contract/settings.js';
import { AUTH_USER_STORE, type AuthUserStore } from '../contract/user-store.js';
import { TransportExchanges } from '../manager/transport.exchanges.js';
import { PasswordLogin } from '../passwords/password.check.js';
import { type JsonRequest, KitAuthController, readTexts } from './endpoint.js';
import { endpointsIf } from './optional-endpoints.js';
import { Public } from '../routes/require.decorators.js';

/** The login with a password. Exists only if the user store can find accounts by name. */
@KitAuthController()
export class KitAuthLoginController {
  constructor(
    private readonly passwords: PasswordLogin,
    private readonly exchanges: TransportExchanges,
  ) {}

  @Post('login')
  @Public()
  @HttpCode(HttpStatus.OK)
  @Header('Cache-Control', 'no-store')
  async login(@Req() request: JsonRequest, @Res({ passthrough: true }) response: unknown): Promise<object> {
    const { username, password } = readTexts(request, ['username', 'password']);
    return this.exchanges.write(await this.passwords.logIn(username, password, request), request, response);
  }
}

/** `POST login` exists only if the user store can find accounts by name. */
export const loginEndpoint = endpointsIf(
  KitAuthLoginController,
  [ModulesContainer, KIT_AUTH_SETTINGS],
  async (modules: ModulesContainer, { enabled }: KitAuthSettings) => {
    const store = enabled ? await storeIn(modules) : undefined;
    return store === undefined || typeof store.findByUsername === 'function';
  },
);

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
