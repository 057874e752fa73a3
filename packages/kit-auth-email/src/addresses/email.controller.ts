import { AuthEvents, KitAuthContext } from 'kit-auth';
import { ActiveLogins } from 'kit-auth/login';
import { type AnswerOf, type Call, Endpoint, KitAuthController } from 'kit-auth/feature';
import { emailApi } from '../email.api.js';
import { MailLimits } from '../mails/mail.limits.js';
import { UserAddresses } from '../stores/user-addresses.js';
import { AddressConfirmation } from './address.confirmation.js';
import { AddressLinks } from './address.links.js';
import { PendingChanges } from './pending-changes.js';

type Api = typeof emailApi;

/** The address of the current user. */
@KitAuthController()
export class KitAuthEmailController {
  constructor(
    private readonly addresses: UserAddresses,
    private readonly links: AddressLinks,
    private readonly confirmation: AddressConfirmation,
    private readonly pending: PendingChanges,
    private readonly limits: MailLimits,
    private readonly logins: ActiveLogins,
    private readonly context: KitAuthContext,
    private readonly events: AuthEvents,
  ) {}

  @Endpoint(emailApi, 'GET email')
  async get(): Promise<AnswerOf<Api, 'GET email'>> {
    const found = await this.addresses.find(this.context.getOrThrow().userId);
    return { email: found?.address ?? null, verified: found?.verifiedAt !== undefined };
  }

  /** Nothing changes until the new address is confirmed. */
  @Endpoint(emailApi, 'POST email')
  async change({ body }: Call<Api, 'POST email'>): Promise<void> {
    const user = this.context.getOrThrow();
    const action = this.events.begin();
    const loginId = this.logins.currentId();
    await this.limits.countRequest();
    await this.links.change(action, user, body.email, loginId);
  }

  /** Needs no fresh login, because it only cancels a change. */
  @Endpoint(emailApi, 'DELETE email/pending')
  async endPending(): Promise<void> {
    await this.pending.end(this.context.getOrThrow().userId);
  }

  @Endpoint(emailApi, 'POST email/verify')
  async verify(): Promise<void> {
    const user = this.context.getOrThrow();
    await this.limits.countRequest();
    await this.links.verify(user);
  }

  @Endpoint(emailApi, 'POST email/confirm')
  async confirm({ body, request }: Call<Api, 'POST email/confirm'>): Promise<void> {
    await this.confirmation.confirm(body.token, request);
  }
}
