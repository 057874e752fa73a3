import { readShownFactor } from '../../endpoints/body.js';
import { KitAuthController } from '../../endpoints/controller.js';
import { type Call, Endpoint, endpoints } from '../../endpoints/endpoint.js';
import { TEXT } from '../../endpoints/schema.js';
import { AuthErrorCode } from '../../errors/auth-error-code.js';
import type { LoginAnswer } from '../../login/login.flow.js';
import { SecondFactorLogin } from './second-factor.login.js';

/** The packages of the factors add the bodies. */
export const loginFactorApi = endpoints({
  'POST login/factor': {
    id: 'kitAuthLoginFactor',
    summary: 'Completes a login with a second factor, and returns a token',
    isPublic: true,
    login: true,
    status: 200,
    errors: [AuthErrorCode.FACTOR_FAILED, AuthErrorCode.TOO_MANY_ATTEMPTS],
  },
});

/** The second step of a login. */
@KitAuthController()
export class KitAuthLoginFactorController {
  constructor(private readonly login: SecondFactorLogin) {}

  @Endpoint(loginFactorApi, 'POST login/factor')
  async factor({ request }: Call<typeof loginFactorApi, 'POST login/factor'>): Promise<LoginAnswer> {
    return this.login.complete(readShownFactor(request, { challenge: TEXT }), request);
  }
}
