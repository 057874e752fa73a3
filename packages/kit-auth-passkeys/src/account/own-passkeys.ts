import { Inject, Injectable } from '@nestjs/common';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { conflict, type LoginAnswer, OwnChanges } from 'kit-auth/extend';
import { Ceremonies } from '../ceremonies/ceremonies.js';
import { wrongPasskey } from '../ceremonies/refusals.js';
import type { Answered } from '../ceremonies/responses.js';
import { type NewCredential, WebAuthn } from '../ceremonies/web-authn.js';
import { passkeysOptions, type ResolvedPasskeysOptions } from '../config/passkeys.options.js';
import { PasskeyLimits } from '../login/passkey.limits.js';
import type { AuthPasskey } from '../stores/auth-passkey.entity.js';
import type { OwnedPasskeys } from '../stores/owned-passkeys.js';
import { passkeyIdOf, PasskeyStore, passkeyTaken } from '../stores/passkey.store.js';
import { defaultNameOf } from './passkey.names.js';
import { OwnPasskeys } from './own-passkeys.js';

const PURPOSE = 'passkey-register';

/** What a page passes to `navigator.credentials.create()`. */
export interface CreationCeremony {
  readonly ceremony: string;
  readonly options: PublicKeyCredentialCreationOptionsJSON;
  /** In seconds since 1970. */
  readonly expiresAt: number;
}

export interface NewPasskey extends Answered<RegistrationResponseJSON> {
  /** Default: that of the authenticator, if it is known. */
  readonly name: string | undefined;
  /** Whether the other sessions of the user end. */
  readonly endOthers: boolean;
}

/** Adds passkeys of the current user. */
@Injectable()
export class Registration {
  private readonly most: number;

  constructor(
    private readonly own: OwnChanges,
    private readonly ceremonies: Ceremonies,
    private readonly webAuthn: WebAuthn,
    private readonly store: PasskeyStore,
    private readonly passkeys: OwnPasskeys,
    private readonly limits: PasskeyLimits,
    @Inject(passkeysOptions.token) { settings }: ResolvedPasskeysOptions,
  ) {
    this.most = settings.maxPerUser;
  }

  /** @throws AuthException 40900 for a user with too many passkeys, 42900, 40101, and those of `LoginConfirmation.require` */
  async begin(): Promise<CreationCeremony> {
    const change = this.own.begin();
    change.requireAddition();
    await this.limits.countCeremonyOf(change.principal.user.userId);
    const { user } = await change.current();
    const passkeys = await this.store.listOf(user.userId);
    this.requireRoom(passkeys);
    const handle = await this.store.handleOf(user.userId);
    const owner = { userId: user.userId, login: change.principal.proof.loginId };
    const { ceremony, challenge, expiresAt } = await this.ceremonies.begin(PURPOSE, owner);
    const options = await this.webAuthn.creationOptions(challenge, { ...user, handle, passkeys });
    return { ceremony, options, expiresAt };
  }

  /**
   * Adds a passkey. The login continues with a new token, which has the factor.
   *
   * @returns with the members of the passkey
   * @throws AuthException 40113, 40000 for a name that the database cannot store, 40900 for a user with too many
   * passkeys or a passkey that is registered already, 50100 for `endOthers` without sessions, 40101, and those of
   * `LoginConfirmation`
   */
  async complete({ ceremony, response, name, endOthers }: NewPasskey): Promise<LoginAnswer> {
    const change = this.own.begin();
    change.requireAddition(endOthers);
    const current = await change.current();
    const { userId, username } = current.user;
    const owner = { userId, login: change.principal.proof.loginId };
    const challenge = await this.ceremonies.challengeOf(PURPOSE, ceremony, owner);
    const credential = await this.webAuthn.registered(response, challenge);
    if (credential === undefined) {
      throw wrongPasskey();
    }
    const handle = await this.store.handleOf(userId);
    let added: AuthPasskey | undefined;
    const answer = await change.addFactor({ ...current, factor: 'passkey', endOthers }, async (account) => {
      const passkey = { ...credential, id: passkeyIdOf(credential.credentialId), ...(name && { name }) };
      const add = (passkeys: OwnedPasskeys) => this.add(passkey, passkeys, ceremony);
      added = await this.store.change(userId, account.transaction, add, passkey);
      await account.note({ type: 'passkey-added', subjectId: userId, subject: username, detail: added.name });
    });
    return { ...answer, ...(added && this.passkeys.entryOf(added, handle)) };
  }

  /** Completes the ceremony as the last check. */
  private async add(
    passkey: NewCredential & { readonly id: string; readonly name?: string },
    passkeys: OwnedPasskeys,
    ceremony: string,
  ): Promise<AuthPasskey> {
    const others = await passkeys.latest();
    this.requireRoom(others);
    if (others.some(({ id }) => id === passkey.id) || (await passkeys.isTaken(passkey.id))) {
      throw passkeyTaken();
    }
    await this.ceremonies.complete(PURPOSE, ceremony, passkeys.transaction);
    const taken = others.map(({ name }) => name);
    return passkeys.add({
      ...passkey,
      name: passkey.name ?? defaultNameOf(passkey.aaguid, taken),
      createdAt: Date.now(),
    });
  }

  private requireRoom(passkeys: readonly unknown[]): void {
    if (passkeys.length >= this.most) {
      throw conflict(`You have ${passkeys.length} passkeys. Remove one first`);
    }
  }
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    'passkey-added': true;
  }
}
