import { Inject, Injectable } from '@nestjs/common';
import { type Call, conflict, notFound } from 'kit-auth/feature';
import { type LoginAnswer, OwnChanges } from 'kit-auth/login';
import { Ceremonies, wrongPasskey } from '../ceremonies/ceremonies.js';
import { PasskeyLimits } from '../ceremonies/passkey.limits.js';
import { type NewCredential, WebAuthn } from '../ceremonies/web-authn.js';
import type { CreationCeremony, OwnPasskey, passkeysApi } from '../passkeys.api.js';
import { passkeysOptions, type ResolvedPasskeysOptions } from '../passkeys.options.js';
import type { AuthPasskey } from '../stores/auth-passkey.entity.js';
import type { PasskeyRows } from '../stores/passkey.rows.js';
import { passkeyIdOf, PasskeyStore, passkeyTaken } from '../stores/passkey.store.js';
import { defaultNameOf } from './passkey.names.js';
import { UserPasskeys } from './user-passkeys.js';

const PURPOSE = 'passkey-register';

type NewPasskey = Call<typeof passkeysApi, 'POST passkeys'>['body'];

/** Adds and renames passkeys of the current user. */
@Injectable()
export class OwnPasskeys {
  private readonly maxPerUser: number;

  constructor(
    private readonly own: OwnChanges,
    private readonly ceremonies: Ceremonies,
    private readonly webAuthn: WebAuthn,
    private readonly store: PasskeyStore,
    private readonly passkeys: UserPasskeys,
    private readonly limits: PasskeyLimits,
    @Inject(passkeysOptions.token) { settings }: ResolvedPasskeysOptions,
  ) {
    this.maxPerUser = settings.maxPerUser;
  }

  /** @throws AuthException 40900 for a user with too many passkeys, 42900, 40101, and the errors of `LoginConfirmation.require` */
  async begin(): Promise<CreationCeremony> {
    const change = this.own.begin();
    change.requireAddition();
    await this.limits.countCeremonyOf(change.principal.user.userId);
    const { user } = await change.current();
    const { userId } = user;
    const passkeys = await this.store.listOf(userId);
    this.requireRoom(passkeys);
    const handle = await this.store.handleOf(userId);
    const owner = { userId, login: change.principal.proof.loginId };
    return this.ceremonies.creation(PURPOSE, owner, { ...user, handle, passkeys });
  }

  /**
   * Adds a passkey. The login continues with a new token, which has the factor. A concurrent password reset wins: a hijacked
   * session must not leave a passkey behind.
   *
   * @returns the answer of a login, with the members of the passkey
   * @throws AuthException 40113, 40000 for a name that the database cannot store, 40900 for a user with too many
   * passkeys or a passkey that is registered already, 50100 for `endOthers` without sessions, 40101, and the errors of
   * `LoginConfirmation`
   */
  async add({ ceremony, response, name, endOthers = false }: NewPasskey): Promise<LoginAnswer> {
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
      const insert = (passkeys: PasskeyRows) => this.insert(passkey, passkeys, ceremony);
      added = await this.store.change(userId, account.transaction, insert, passkey);
      await account.note({ type: 'passkey-added', subjectId: userId, subject: username, detail: added.name });
    });
    return { ...answer, ...(added && this.passkeys.ownInfoOf(added, handle)) };
  }

  /** @throws AuthException 40400, 40000 for a name that the database cannot store, 40101 */
  async rename(id: string, name: string): Promise<OwnPasskey> {
    const change = this.own.begin();
    const { userId, username } = (await change.current()).user;
    const passkey = await this.store.change(
      userId,
      undefined,
      async (passkeys) => {
        const found = (await passkeys.latest()).find((candidate) => candidate.id === id);
        if (found === undefined) {
          throw notFound('Passkey');
        }
        await passkeys.rename(id, name);
        return Object.assign(found, { name });
      },
      { name },
    );
    change.action.note({
      type: 'passkey-renamed',
      subjectId: userId,
      subject: username,
      detail: name,
      kept: false,
    });
    return this.passkeys.ownInfoOf(passkey, await this.store.handleOf(userId));
  }

  /** Completes the ceremony as the last check. */
  private async insert(
    passkey: NewCredential & { readonly id: string; readonly name?: string },
    passkeys: PasskeyRows,
    ceremony: string,
  ): Promise<AuthPasskey> {
    const others = await passkeys.latest();
    this.requireRoom(others);
    if (others.some(({ id }) => id === passkey.id) || (await passkeys.isTaken(passkey.id))) {
      throw passkeyTaken();
    }
    await this.ceremonies.complete(PURPOSE, ceremony, passkeys.transaction);
    const taken = others.map(({ name }) => name);
    return passkeys.insert({
      ...passkey,
      name: passkey.name ?? defaultNameOf(passkey.aaguid, taken),
      createdAt: Date.now(),
    });
  }

  private requireRoom(passkeys: readonly unknown[]): void {
    if (passkeys.length >= this.maxPerUser) {
      throw conflict(`You have ${passkeys.length} passkeys. Remove one first`);
    }
  }
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    'passkey-added': true;
    'passkey-renamed': true;
    'passkey-removed': true;
  }
}
