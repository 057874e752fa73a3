import { Inject, Injectable } from '@nestjs/common';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import type { AuthAction, LoginUser, UserId } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/feature';
import { passkeysOptions, type ResolvedPasskeysOptions } from '../passkeys.options.js';
import type { AuthPasskey } from '../stores/auth-passkey.entity.js';
import { type FoundPasskey, PasskeyStore } from '../stores/passkey.store.js';
import { type Assertion, WebAuthn } from './web-authn.js';

/** If another request has used the passkey in the meantime, it is checked again, once. */
const MAX_CHECKS = 2;

/**
 * Verified instead of an unknown passkey, so that the answer takes a similar time. Its private key was deleted, and its
 * assertions are refused anyway.
 */
export const DUMMY_PASSKEY: Pick<AuthPasskey, 'credentialId' | 'publicKey'> = {
  credentialId: '',
  publicKey:
    'pQECAyYgASFYIBsmcH-siw8_BsAv8HB0qVxXcijmZOiE8Y7QaPEC7qu9IlggoLrJeqPjYQp9smtYbiD4Xi7LncHH3sOlcR3zqu5h5yc',
};

/** Expected challenge and user. */
export interface ExpectedAssertion {
  /** Base64url. */
  readonly challenge: string;
  /** The only user whose passkey is accepted. Undefined for a login: the passkey identifies its user. */
  readonly user?: LoginUser;
  readonly action: AuthAction;
  /** Called for a right assertion before its use is recorded. A passkey that is removed after the call is refused. */
  readonly beforeUse?: (userId: UserId) => Promise<void>;
}

export interface CheckedAssertion {
  readonly isRight: boolean;
  /** The owner of the passkey. Undefined for an unknown passkey. */
  readonly userId: UserId | undefined;
}

/** Checks assertions of passkeys, and records uses. */
@Injectable()
export class PasskeyCheck {
  private readonly areStrict: boolean;

  constructor(
    private readonly webAuthn: WebAuthn,
    private readonly store: PasskeyStore,
    private readonly users: ActiveUserStore,
    @Inject(passkeysOptions.token) { settings }: ResolvedPasskeysOptions,
  ) {
    this.areStrict = settings.counters === 'strict';
  }

  /** Checks an assertion. A right one is recorded as a use of the passkey. Another request cannot record the same use. */
  async check(response: AuthenticationResponseJSON, expected: ExpectedAssertion): Promise<CheckedAssertion> {
    const found = await this.find(response.id);
    const own = found !== undefined && isOf(found, response, expected.user) ? found : undefined;
    const passkey = own?.passkey ?? DUMMY_PASSKEY;
    const assertion = await this.webAuthn.asserted(response, expected.challenge, passkey);
    if (own === undefined || assertion === undefined) {
      return { isRight: false, userId: found?.userId };
    }
    await expected.beforeUse?.(own.userId);
    return { isRight: await this.use(own, assertion, expected.action), userId: own.userId };
  }

  /** @returns false for a passkey that may be a copy, and for a removed one */
  private async use(
    { passkey: seen, userId }: FoundPasskey,
    { counter, deviceType, backedUp }: Assertion,
    action: AuthAction,
  ): Promise<boolean> {
    let passkey: AuthPasskey | undefined = seen;
    for (let checks = 0; checks < MAX_CHECKS && passkey !== undefined; checks++) {
      if (passkey.deviceType !== deviceType) {
        return false;
      }
      const hasGrown =
        passkey.deviceType === 'multi' || counter > passkey.counter || passkey.counter + counter === 0;
      if (!hasGrown) {
        const about = await this.aboutOf(userId);
        action.note({ type: 'passkey-counter', ...about, success: false, detail: passkey.id });
        if (this.areStrict) {
          return false;
        }
      }
      // A copy must not lower the counter of the original.
      const next = passkey.deviceType === 'multi' ? counter : Math.max(counter, passkey.counter);
      if (await this.store.use(passkey, { counter: next, backedUp })) {
        if (passkey.backedUp && !backedUp) {
          action.note({ type: 'passkey-changed', ...(await this.aboutOf(userId)), detail: 'not backed up' });
        }
        return true;
      }
      passkey = (await this.find(seen.credentialId))?.passkey;
    }
    return false;
  }

  private find(credentialId: string): Promise<FoundPasskey | undefined> {
    return this.store.find(credentialId, (text) => this.users.idFrom(text));
  }

  /** The members of events. */
  async aboutOf(userId: UserId): Promise<{ subjectId: UserId; subject: string | null }> {
    const user = await this.users.loadLoginUser(userId);
    return { subjectId: userId, subject: user?.username ?? null };
  }
}

/** Assertions of a known user may lack the handle, because the options named the passkey. */
function isOf(
  { userId, handle }: FoundPasskey,
  { response: { userHandle } }: AuthenticationResponseJSON,
  user: LoginUser | undefined,
): boolean {
  return user === undefined
    ? userHandle === handle
    : userId === user.userId && (userHandle === undefined || userHandle === handle);
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    /** The counter of a passkey did not grow: it may have been copied. */
    'passkey-counter': true;
    /** A passkey is no longer backed up. */
    'passkey-changed': true;
  }
}
