import { Inject, Injectable } from '@nestjs/common';
import type { AccountChange, LoginUser } from 'kit-auth';
import { type ChangingUser, FactorGuesses, type LoginAnswer, LoginWays, OwnChanges } from 'kit-auth/login';
import { conflict, notFound } from 'kit-auth/feature';
import type { NewDevice } from '../factors.api.js';
import { factorsOptions, type ResolvedFactorsOptions } from '../factors.options.js';
import { FactorStore, type OwnedFactors, PENDING_MS } from '../stores/factor.store.js';
import { DeviceCodes } from '../codes/device.codes.js';
import { SecretSealer } from '../secrets/secret.sealer.js';
import { base32, newSecret, uriOf } from '../secrets/totp.js';

const MAX_DEVICES = 5;

export interface Confirmation {
  readonly id: string;
  readonly code: string;
  /** Whether the other sessions of the user end. */
  readonly endOthers: boolean;
}

/** Adds devices with an authenticator app. */
@Injectable()
export class Enrolment {
  private readonly issuer: string;

  constructor(
    private readonly own: OwnChanges,
    private readonly store: FactorStore,
    private readonly sealer: SecretSealer,
    private readonly codes: DeviceCodes,
    private readonly guesses: FactorGuesses,
    private readonly ways: LoginWays,
    @Inject(factorsOptions.token) { settings }: ResolvedFactorsOptions,
  ) {
    this.issuer = settings.issuer ?? '';
  }

  /**
   * Creates a device. Logins ask for it once the user has confirmed it with a code.
   *
   * @throws AuthException 40000 for a name that the database cannot store, 40900 for a user with five devices, 40101,
   * and the codes of `LoginConfirmation.require`
   */
  async begin(name: string): Promise<NewDevice> {
    const change = this.own.begin();
    change.requireAddition();
    const { userId, username } = (await change.current()).user;
    const secret = newSecret();
    const now = Date.now();
    const add = async (factors: OwnedFactors) => {
      const { confirmed, pending } = await factors.devices();
      requireRoom(confirmed);
      const live = pending.filter(({ createdAt }) => isLive(createdAt, now));
      const kept = live.slice(-(MAX_DEVICES - 1));
      await factors.remove(pending.filter((device) => !kept.includes(device)).map((device) => device.id));
      return factors.add({ name, secret: this.sealer.seal(secret, String(userId)), createdAt: now });
    };
    const id = await this.store.change(userId, undefined, add, name);
    return { id, secret: base32(secret), uri: uriOf(secret, this.issuer, username) };
  }

  /**
   * Confirms a device with its first code. The login continues with a new token that has the factor.
   *
   * @returns with the first device, also the recovery codes
   * @throws AuthException 40113 for a wrong code, 40400 for a device that is not pending, or that was created with only
   * the password before the user had a second factor, 40900 for a user with five devices, 42900 after too many wrong
   * codes, 50100 for `endOthers` without sessions, 40101, and the codes of `LoginConfirmation`
   */
  async confirm({ id, code, endOthers }: Confirmation): Promise<LoginAnswer> {
    const begunAt = Date.now();
    const change = this.own.begin();
    change.requireAddition(endOthers);
    const current = await change.current();
    const step = await this.stepOf(current.user, { id, code, begunAt }, change);
    let recoveryCodes: readonly string[] | undefined;
    const answer = await change.addFactor({ ...current, factor: 'totp', endOthers }, async (account) => {
      recoveryCodes = await this.add(current.user, id, step, account);
    });
    return { ...answer, ...(recoveryCodes && { recoveryCodes }) };
  }

  /** The time step of a code for a pending device. */
  private async stepOf(
    user: LoginUser,
    { id, code, begunAt }: Pick<Confirmation, 'id' | 'code'> & { readonly begunAt: number },
    { action, principal }: ChangingUser,
  ): Promise<number> {
    const { confirmed, pending } = await this.store.read(user.userId, (factors) => factors.devices());
    const now = Date.now();
    const device = pending.find((candidate) => candidate.id === id && isLive(candidate.createdAt, now));
    // An attacker who only knows the password may have created it before the user had a second factor. One that was confirmed
    // at the same time does not count.
    const areAtOnce = confirmed.length > 0 && confirmed.every(({ confirmedAt }) => confirmedAt >= begunAt);
    const mayAdd = areAtOnce || (await this.ways.hasShownSecond(principal));
    if (device === undefined || !mayAdd) {
      throw notFound('Factor');
    }
    let step = 0;
    await this.guesses.count({ user, factor: 'totp', action, isNew: true }, async () => {
      const found = this.codes.stepOf(device, code);
      if (typeof found === 'number') {
        step = found;
        return 'right';
      }
      return found ?? 'wrong';
    });
    return step;
  }

  /** @returns with the first device, the recovery codes */
  private async add(
    { userId, username }: LoginUser,
    id: string,
    step: number,
    change: AccountChange,
  ): Promise<readonly string[] | undefined> {
    const recoveryCodes = await this.store.change(userId, change.transaction, async (factors) => {
      const confirmed = await factors.confirmed();
      requireRoom(confirmed);
      const now = Date.now();
      if (!(await factors.confirm(id, step, now))) {
        throw notFound('Factor');
      }
      return confirmed.length === 0 ? factors.renewRecoveryCodes(now) : undefined;
    });
    await change.note({ type: 'factor-added', subjectId: userId, subject: username, detail: 'totp' });
    return recoveryCodes;
  }
}

function requireRoom(devices: readonly unknown[]): void {
  if (devices.length >= MAX_DEVICES) {
    throw conflict(`You have ${MAX_DEVICES} devices. Remove one first`);
  }
}

function isLive(createdAt: number, now: number): boolean {
  return now - createdAt < PENDING_MS;
}

declare module 'kit-auth' {
  interface AuthEventTypes {
    'factor-added': true;
  }
}
