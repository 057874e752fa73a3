import { Injectable } from '@nestjs/common';
import { KitAuthContext } from 'kit-auth';
import { notFound, OwnChanges } from 'kit-auth/extend';
import { infoOf, type PasskeyInfo } from './user-passkeys.js';
import { RelyingParty } from '../config/relying-party.js';
import type { AuthPasskey } from '../stores/auth-passkey.entity.js';
import { PasskeyStore } from '../stores/passkey.store.js';

/** A passkey of the current user. */
export interface OwnPasskey extends PasskeyInfo {
  /** What the methods of browsers need that tell authenticators about removed passkeys (`PublicKeyCredential.signal…()`). */
  readonly signal: { readonly rpId: string; readonly userId: string; readonly credentialId: string };
}

/** Lists and renames the passkeys of the current user. */
@Injectable()
export class OwnPasskeys {
  constructor(
    private readonly own: OwnChanges,
    private readonly store: PasskeyStore,
    private readonly relyingParty: RelyingParty,
    private readonly context: KitAuthContext,
  ) {}

  /** Oldest first. */
  async list(): Promise<OwnPasskey[]> {
    const { userId } = this.context.getOrThrow();
    const passkeys = await this.store.listOf(userId);
    const handle = passkeys.length === 0 ? '' : await this.store.handleOf(userId);
    return passkeys.map((passkey) => this.entryOf(passkey, handle));
  }

  /** @param handle the handle of the user */
  entryOf(passkey: AuthPasskey, handle: string): OwnPasskey {
    const signal = { rpId: this.relyingParty.id, userId: handle, credentialId: passkey.credentialId };
    return { ...infoOf(passkey), signal };
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
    return this.entryOf(passkey, await this.store.handleOf(userId));
  }
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    'passkey-renamed': true;
  }
}
