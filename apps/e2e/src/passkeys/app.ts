import { KitAuthPasskeysModule, type KitAuthPasskeysOptions } from 'kit-auth-passkeys';
import {
  type FakeAnswer,
  fakePasskey,
  type FakePasskey,
  type FakePasskeyOptions,
} from 'kit-auth-passkeys/testing';
import { AuthPasskey } from 'kit-auth-passkeys/typeorm';
import type { AuthUser } from 'kit-auth/typeorm';
import { type Answer, bodyOf, type Import, type TestAppOptions, type UserFields } from 'test-support';
import { ProofApp } from '../account/proof.controller.js';
import { outcomeOf } from '../factors/app.js';

export { countsOf, outcomeOf } from '../factors/app.js';

export const ORIGIN = 'https://app.example.com';
export const MINUTE_MS = 60_000;

export interface PasskeysAppOptions extends TestAppOptions {
  passkeys?: Partial<KitAuthPasskeysOptions>;
  /** Imported before `KitAuthPasskeysModule`. */
  before?: Import[];
}

/** A user with a passkey. */
export type PasskeyUser = AuthUser & {
  readonly passkey: FakePasskey;
  /** The id in lists. */
  readonly passkeyId: string;
  /** The token that the registration has answered with. */
  readonly token: string;
};

/** An application with passkeys. */
export class PasskeysApp extends ProofApp {
  constructor({ passkeys, before = [], ...options }: PasskeysAppOptions = {}) {
    const given = { rpId: 'example.com', rpName: 'Example', origins: [ORIGIN], ...passkeys };
    super({ admin: true, ...options }, { imports: [...before, KitAuthPasskeysModule.forRoot(given)] });
  }

  /** A user with a passkey. */
  async registered(fields: UserFields = {}, options?: Partial<FakePasskeyOptions>): Promise<PasskeyUser> {
    const user = await this.user(fields);
    const passkey = fakePasskey({ origin: ORIGIN, ...options });
    const { json } = await this.add(await this.tokenOf(user, fields.password), passkey);
    return Object.assign(user, { passkey, passkeyId: json.id as string, token: json.token as string });
  }

  /** Begins a registration, and fails the test if that is refused. */
  async creation(token: string): Promise<{ ceremony: string; options: never }> {
    return bodyOf(await this.call(token, 'POST', 'passkeys/options', {}));
  }

  /** Adds a passkey, and fails the test if that is refused. */
  async add(token: string, passkey = fakePasskey({ origin: ORIGIN }), more: object = {}): Promise<Answer> {
    const answer = await this.tryToAdd(token, passkey, more);
    bodyOf(answer, 201);
    return answer;
  }

  async tryToAdd(
    token: string,
    passkey = fakePasskey({ origin: ORIGIN }),
    more: object = {},
  ): Promise<Answer> {
    const { ceremony, options } = await this.creation(token);
    const body = { ceremony, response: passkey.create(options), ...more };
    return this.call(token, 'POST', 'passkeys', body);
  }

  /** Begins a login. */
  async begun(): Promise<{ ceremony: string; options: { challenge: string } }> {
    return bodyOf(await this.call(undefined, 'POST', 'login/passkey/options', {}));
  }

  /** Answers a new ceremony. */
  async logIn(passkey: FakePasskey, as?: FakeAnswer): Promise<Answer> {
    const { ceremony, options } = await this.begun();
    return this.answer(ceremony, passkey.get(options, as));
  }

  answer(ceremony: unknown, response: unknown, more: object = {}): Promise<Answer> {
    return this.call(undefined, 'POST', 'login/passkey', { ceremony, response, ...more });
  }

  async outcomeOfLogin(passkey: FakePasskey, as?: FakeAnswer): Promise<string> {
    return outcomeOf(await this.logIn(passkey, as));
  }

  /** The row of a passkey. */
  row({ id }: FakePasskey): Promise<AuthPasskey> {
    return this.rowsOf(AuthPasskey).findOneByOrFail({ credentialId: id });
  }

  async countOf({ id }: { id: unknown }): Promise<number> {
    const userId = String(id);
    const rows = await this.rowsOf(AuthPasskey).findBy({ userId });
    return rows.filter((row) => row.userId === userId).length; // some databases ignore case in comparisons
  }
}
