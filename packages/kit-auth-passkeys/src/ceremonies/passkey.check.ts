import { Inject, Injectable } from '@nestjs/common';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import type { AuthAction, LoginUser, UserId } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/extend';
import { passkeysOptions, type ResolvedPasskeysOptions } from '../config/passkeys.options.js';
import type { AuthPasskey } from '../stores/auth-passkey.entity.js';
import { type FoundPasskey, PasskeyStore } from '../stores/passkey.store.js';
import { DUMMY_PASSKEY } from './dummy.passkey.js';
import { type Assertion, WebAuthn } from './web-authn.js';

/** A passkey may be used by another request in the meantime. Then it is checked again, once. */
const ATTEMPTS = 2;

/** What an authenticator has to answer to. */
export interface ExpectedAssertion {
  /** In base64url. */
  readonly challenge: string;
  /** The only user whose passkey is accepted. Undefined for a login, where the passkey tells who its user is. */
  readonly user?: LoginUser;
  readonly action: AuthAction;
  /** Called for a right assertion before its use is recorded. A passkey that is removed after it is refused. */
  readonly beforeUse?: (userId: UserId) => Promise<void>;
}

export interface CheckedAssertion {
  readonly isRight: boolean;
  /** The user whose passkey it is. Undefined for an unknown one. */
  readonly userId: UserId | undefined;
}

/** Checks what authenticators sign with a passkey, and records its use. */
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

  /** Checks an assertion. If it is right, the use of the passkey is recorded: another request cannot record the same one. */
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

  /** @returns false for a passkey that may be a copy, or was removed */
  private async use(
    { passkey: seen, userId }: FoundPasskey,
    { counter, deviceType, backedUp }: Assertion,
    action: AuthAction,
  ): Promise<boolean> {
    let passkey: AuthPasskey | undefined = seen;
    for (let attempt = 0; attempt < ATTEMPTS && passkey !== undefined; attempt++) {
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
      // A copy must not lower what the original has reached.
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

  /** For events. */
  async aboutOf(userId: UserId): Promise<{ subjectId: UserId; subject: string | null }> {
    const user = await this.users.loadLoginUser(userId);
    return { subjectId: userId, subject: user?.username ?? null };
  }
}

/** A passkey of the known user may leave out its handle, because the page has named the passkey. */
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
