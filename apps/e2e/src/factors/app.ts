import { KitAuthFactorsModule, type KitAuthFactorsOptions } from 'kit-auth-factors';
import { AuthRecoveryCode, AuthTotp } from 'kit-auth-factors/typeorm';
import type { AuthUser } from 'kit-auth/typeorm';
import {
  type Answer,
  bodyOf,
  type Import,
  PASSWORD,
  type TestAppOptions,
  totpCode,
  type UserFields,
} from 'test-support';
import { IsNull, Not } from 'typeorm';
import { ProofApp } from '../account/proof.controller.js';

export const STEP_MS = 30_000;
export const KEY = 'a key of at least 32 bytes, for tests of factors';

export interface FactorsAppOptions extends TestAppOptions {
  factors?: Partial<KitAuthFactorsOptions>;
  /** Imported before `KitAuthFactorsModule`. */
  before?: Import[];
}

/** A device as its owner has it. */
export interface Device {
  readonly id: string;
  /** In base32. */
  readonly secret: string;
}

export interface Enrolment {
  readonly device: Device;
  /** Of the first device. */
  readonly recoveryCodes: string[];
  /** The token that the enrolment has answered with. */
  readonly token: string;
}

export type EnrolledUser = AuthUser & Enrolment;

/** An application with second factors. Freeze the date before you use it. */
export class FactorsApp extends ProofApp {
  constructor({ factors, before = [], ...options }: FactorsAppOptions = {}) {
    super(
      { admin: true, ...options },
      {
        imports: [...before, KitAuthFactorsModule.forRoot({ keys: [KEY], issuer: 'Example', ...factors })],
      },
    );
  }

  /** A user with a device. Its code of this moment is used up. */
  async enrolled(fields: UserFields = {}): Promise<EnrolledUser> {
    const user = await this.user(fields);
    return Object.assign(user, await this.enrol(await this.tokenOf(user, fields.password)));
  }

  /** Adds a device, and confirms it with its code of this moment. */
  async enrol(token: string, more: object = {}): Promise<Enrolment> {
    const device = await this.pending(token);
    const json = bodyOf(await this.confirm(token, device, totpCode(device.secret), more));
    return { device, recoveryCodes: json.recoveryCodes, token: json.token };
  }

  /** A device that was not confirmed. */
  async pending(token: string, name = 'Phone'): Promise<Device> {
    const { id, secret } = bodyOf(await this.call(token, 'POST', 'factors/totp', { name }), 201);
    return { id, secret };
  }

  confirm(token: string, { id }: Device, code: unknown, more: object = {}): Promise<Answer> {
    return this.call(token, 'POST', `factors/totp/${id}/confirm`, { code, ...more });
  }

  /** Shows the password, and returns the challenge that it is answered with. */
  async challenge({ username }: Pick<AuthUser, 'username'>, password = PASSWORD): Promise<string> {
    const { text, json } = await this.login(username, password);
    if (json?.code !== 40112) {
      throw new Error(`The login of ${username} was answered with ${text}`);
    }
    return json.challenge;
  }

  answer(challenge: unknown, code: unknown, factor: unknown = 'totp'): Promise<Answer> {
    return this.call(undefined, 'POST', 'login/factor', { challenge, factor, code });
  }

  /** 200, or the code and the reason of the refusal. */
  async outcomeOf(challenge: unknown, code: unknown, factor?: unknown): Promise<string> {
    return outcomeOf(await this.answer(challenge, code, factor));
  }

  /** Logs in with the password and a code. */
  async outcomeOfLogin(user: Pick<AuthUser, 'username'>, code: unknown, factor?: unknown): Promise<string> {
    return this.outcomeOf(await this.challenge(user), code, factor);
  }

  fresh(token: string, code: unknown, factor: unknown = 'totp'): Promise<Answer> {
    return this.call(token, 'POST', 'fresh', { factor, code });
  }

  async factorsOf(token: string): Promise<{ names: string[]; recoveryCodesLeft: number }> {
    const { json } = await this.call(token, 'GET', 'factors');
    const factors = json.factors as { name: string }[];
    return { names: factors.map(({ name }) => name).sort(), recoveryCodesLeft: json.recoveryCodesLeft };
  }

  /** How many confirmed devices and recovery codes the tables have of a user. */
  async rowsAbout({ id }: { id: unknown }): Promise<{ devices: number; recoveryCodes: number }> {
    const userId = String(id);
    // Some databases ignore case in comparisons.
    const of = <T extends { userId: string }>(rows: T[]) => rows.filter((row) => row.userId === userId);
    const devices = await this.rowsOf(AuthTotp).findBy({ userId, confirmedAt: Not(IsNull()) });
    const recoveryCodes = await this.rowsOf(AuthRecoveryCode).findBy({ userId });
    return { devices: of(devices).length, recoveryCodes: of(recoveryCodes).length };
  }
}

/** The status of a success, or the code and the reason of the refusal. */
export function outcomeOf({ status, json }: Answer): string {
  return status < 300 ? `${status}` : [json?.code ?? status, json?.reason].filter(Boolean).join(' ');
}

/** How often each outcome occurs. */
export function countsOf(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  outcomes.forEach((outcome) => (counts[outcome] = (counts[outcome] ?? 0) + 1));
  return counts;
}

/** The code that a device shows so many steps later than now. */
export function codeOf({ secret }: Pick<Device, 'secret'>, steps = 0): string {
  return totpCode(secret, Date.now() + steps * STEP_MS);
}

/** A code that is wrong now, and one step earlier and later. */
export function wrongCodeOf(device: Pick<Device, 'secret'>): string {
  const near = [-1, 0, 1].map((steps) => codeOf(device, steps));
  return ['000000', '111111', '222222', '333333'].find((code) => !near.includes(code))!;
}
