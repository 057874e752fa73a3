import { type Call, Endpoint, KitAuthController } from 'kit-auth/feature';
import type { LoginAnswer } from 'kit-auth/login';
import { Enrolment } from './account/enrolment.js';
import { FactorReset } from './account/factor.reset.js';
import { OwnFactors } from './account/own-factors.js';
import { type FactorList, factorsApi, type NewDevice } from './factors.api.js';

type Api = typeof factorsApi;

/** The factors of the current user. */
@KitAuthController()
export class KitAuthFactorsController {
  constructor(
    private readonly own: OwnFactors,
    private readonly enrolment: Enrolment,
  ) {}

  @Endpoint(factorsApi, 'GET factors')
  list(): Promise<FactorList> {
    return this.own.list();
  }

  @Endpoint(factorsApi, 'POST factors/totp')
  add({ body }: Call<Api, 'POST factors/totp'>): Promise<NewDevice> {
    return this.enrolment.begin(body.name);
  }

  @Endpoint(factorsApi, 'POST factors/totp/{id}/confirm')
  confirm({ params, body }: Call<Api, 'POST factors/totp/{id}/confirm'>): Promise<LoginAnswer> {
    return this.enrolment.confirm({ id: params.id, code: body.code, endOthers: body.endOthers ?? false });
  }

  @Endpoint(factorsApi, 'POST factors/recovery')
  async renewRecovery(): Promise<{ recoveryCodes: string[] }> {
    return { recoveryCodes: await this.own.renewRecoveryCodes() };
  }

  @Endpoint(factorsApi, 'DELETE factors/{id}')
  remove({ params }: Call<Api, 'DELETE factors/{id}'>): Promise<void> {
    return this.own.remove(params.id);
  }
}

/** The factors of other users. */
@KitAuthController()
export class KitAuthUserFactorsController {
  constructor(private readonly resets: FactorReset) {}

  @Endpoint(factorsApi, 'GET users/{id}/factors')
  list({ params }: Call<Api, 'GET users/{id}/factors'>): Promise<FactorList> {
    return this.resets.listOf(params.id);
  }

  @Endpoint(factorsApi, 'DELETE users/{id}/factors')
  removeAll({ params }: Call<Api, 'DELETE users/{id}/factors'>): Promise<void> {
    return this.resets.removeAll(params.id);
  }
}
