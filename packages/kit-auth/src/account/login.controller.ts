import { type Call, Endpoint } from '../endpoints/endpoint.js';
import { KitAuthController } from '../endpoints/controller.js';
import { endpointsIfStoreHas } from '../endpoints/optional-endpoints.js';
import type { LoginAnswer } from '../login/login.flow.js';
import { PasswordLogin } from '../passwords/password.check.js';
import { accountApi } from '../endpoints/core.api.js';

/** The login with a password. */
@KitAuthController()
export class KitAuthLoginController {
  constructor(private readonly passwords: PasswordLogin) {}

  @Endpoint(accountApi, 'POST login')
  login({ body, request }: Call<typeof accountApi, 'POST login'>): Promise<LoginAnswer> {
    return this.passwords.logIn(body.username, body.password, request);
  }
}

/** `POST login` exists only if the user store can find accounts by name. */
export const loginEndpoint = endpointsIfStoreHas(KitAuthLoginController, 'findByUsername');
