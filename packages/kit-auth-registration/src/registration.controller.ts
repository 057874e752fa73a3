import { type Call, Endpoint, KitAuthController } from 'kit-auth/feature';
import type { LoginAnswer } from 'kit-auth/login';
import { Invitations } from './invitations/invitations.js';
import { type InvitationView, registrationApi, type SentInvitation } from './registration.api.js';
import { Completions } from './registration/completions.js';
import { Registrations } from './registration/registrations.js';

type Api = typeof registrationApi;

/** Only POST consumes a link: mail scanners and prefetching browsers send GET and HEAD. */
@KitAuthController()
export class KitAuthRegistrationController {
  constructor(
    private readonly registrations: Registrations,
    private readonly completions: Completions,
  ) {}

  @Endpoint(registrationApi, 'POST register')
  async register({ body: { email, locale } }: Call<Api, 'POST register'>): Promise<void> {
    this.registrations.requireOpen();
    await this.registrations.request(email, locale);
  }

  @Endpoint(registrationApi, 'POST register/complete')
  complete({ body, request }: Call<Api, 'POST register/complete'>): Promise<LoginAnswer> {
    const { token, password, nickname } = body;
    return this.completions.complete(token, { password, nickname }, request);
  }
}

@KitAuthController()
export class KitAuthInvitationController {
  constructor(private readonly invitations: Invitations) {}

  @Endpoint(registrationApi, 'POST invitations')
  invite({ body }: Call<Api, 'POST invitations'>): Promise<SentInvitation> {
    const { email: address, nickname, roles = [], locale } = body;
    return this.invitations.invite({ address, nickname, roles, locale });
  }

  @Endpoint(registrationApi, 'GET invitations')
  list(): Promise<InvitationView[]> {
    return this.invitations.list();
  }

  @Endpoint(registrationApi, 'DELETE invitations/{id}')
  end({ params }: Call<Api, 'DELETE invitations/{id}'>): Promise<void> {
    return this.invitations.end(params.id);
  }
}
