import { Get, Header, NotFoundException } from '@nestjs/common';
import { type Call, Endpoint, KitAuthController, readBody, WellKnownController } from 'kit-auth/feature';
import type { LoginAnswer } from 'kit-auth/login';
import { OwnPasskeys } from './account/own-passkeys.js';
import { PasskeyFactor } from './login/passkey.factor.js';
import { PasskeyLogin } from './login/passkey.login.js';
import { type CreationCeremony, type OwnPasskey, passkeysApi, type RequestCeremony } from './passkeys.api.js';
import { RelyingParty } from './passkeys.options.js';

type PasskeysCall<K extends keyof typeof passkeysApi> = Call<typeof passkeysApi, K>;

/** The domains besides `rpId` that may use its passkeys (related origin requests). */
@WellKnownController('webauthn')
export class KitAuthRelatedOriginsController {
  constructor(private readonly relyingParty: RelyingParty) {}

  @Get()
  @Header('Content-Type', 'application/json')
  list(): { origins: readonly string[] } {
    const { relatedOrigins: origins } = this.relyingParty;
    if (origins === undefined) {
      throw new NotFoundException();
    }
    return { origins };
  }
}

/** Logins with a passkey alone, and as the second step. `POST login/factor` and `POST fresh` are endpoints of the core. */
@KitAuthController()
export class KitAuthPasskeyLoginController {
  constructor(
    private readonly login: PasskeyLogin,
    private readonly factor: PasskeyFactor,
  ) {}

  @Endpoint(passkeysApi, 'POST login/passkey/options')
  begin(): Promise<RequestCeremony> {
    return this.login.begin();
  }

  @Endpoint(passkeysApi, 'POST login/passkey')
  logIn({ request }: PasskeysCall<'POST login/passkey'>): Promise<LoginAnswer> {
    const { body } = passkeysApi['POST login/passkey'];
    return this.login.logIn(readBody(body, request, 'a JSON object with "ceremony" and "response"'), request);
  }

  @Endpoint(passkeysApi, 'POST login/factor/options')
  beginSecond({ body }: PasskeysCall<'POST login/factor/options'>): Promise<RequestCeremony> {
    return this.factor.beginSecond(body.challenge);
  }
}

/** The passkeys of the current user. `ownedPasskeys` lists and removes them. */
@KitAuthController()
export class KitAuthPasskeysController {
  constructor(private readonly passkeys: OwnPasskeys) {}

  @Endpoint(passkeysApi, 'POST passkeys/options')
  begin(): Promise<CreationCeremony> {
    return this.passkeys.begin();
  }

  @Endpoint(passkeysApi, 'POST passkeys')
  add({ body }: PasskeysCall<'POST passkeys'>): Promise<LoginAnswer> {
    return this.passkeys.add(body);
  }

  @Endpoint(passkeysApi, 'PATCH passkeys/{id}')
  rename({ params, body }: PasskeysCall<'PATCH passkeys/{id}'>): Promise<OwnPasskey> {
    return this.passkeys.rename(params.id, body.name);
  }
}
