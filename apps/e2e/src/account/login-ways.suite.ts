import { beforeEach, describe, expect, it } from '@jest/globals';
import bcrypt from 'bcrypt';
import { KitAuthModule, type UserId } from 'kit-auth';
import { UserIdentities } from 'kit-auth-oidc';
import { AuthIdentity } from 'kit-auth-oidc/typeorm';
import { KitAuthPasskeysModule } from 'kit-auth-passkeys';
import { fakePasskey } from 'kit-auth-passkeys/testing';
import { AuthPasskey } from 'kit-auth-passkeys/typeorm';
import {
  nameOf,
  PASSWORD,
  type Place,
  sharedInstances,
  sharedTestApp,
  type TestAppOptions,
} from 'test-support';
import { OidcApp } from '../oidc/app.js';
import { ORIGIN, outcomeOf } from '../passkeys/app.js';
import { OWN_USER_STORES } from '../users/in-transactions.js';
import type { OwnUsers } from '../users/own-users.js';

const ROUNDS = 5;
const PROVIDER = {
  name: 'test',
  issuer: 'https://login.example.com',
  clientId: 'app',
  clientSecret: 'the secret of the client 4711',
};

function appWith({ imports = [], ...options }: TestAppOptions): OidcApp {
  const passkeys = { rpId: 'example.com', rpName: 'Example', origins: [ORIGIN] };
  return new OidcApp({
    ...options,
    imports: [...imports, KitAuthPasskeysModule.forRoot(passkeys)],
    oidc: { providers: [PROVIDER] },
  });
}

/** A user with a passkey and an identity. */
class Ways {
  private constructor(
    private readonly instances: readonly OidcApp[],
    private readonly token: string,
    private readonly passkey: AuthPasskey,
    private readonly identity: AuthIdentity,
  ) {}

  static async of(user: { id: UserId; username: string }, instances: readonly OidcApp[]): Promise<Ways> {
    const [app] = instances as [OidcApp];
    const first = await app.tokenOf(user);
    const { ceremony, options } = (await app.call(first, 'POST', 'passkeys/options', {})).json;
    const response = fakePasskey({ origin: ORIGIN }).create(options);
    const { json } = await app.call(first, 'POST', 'passkeys', { ceremony, response });
    await app.get(UserIdentities).link(user.id, { provider: 'test', subject: user.username });
    const userId = String(user.id);
    const passkey = await app.rowsOf(AuthPasskey).findOneByOrFail({ userId });
    const identity = await app.rowsOf(AuthIdentity).findOneByOrFail({ userId });
    return new Ways(instances, json.token, passkey, identity);
  }

  async remove(way: 'passkey' | 'identity', instance = 0): Promise<string> {
    const path = way === 'passkey' ? `passkeys/${this.passkey.id}` : `identities/${this.identity.id}`;
    return outcomeOf(
      await this.instances[instance % this.instances.length]!.call(this.token, 'DELETE', path),
    );
  }

  /** Adds what was removed again. @returns how many ways there were */
  async restore(): Promise<number> {
    const { userId } = this.passkey;
    const passkeys = this.instances[0]!.rowsOf(AuthPasskey);
    const identities = this.instances[0]!.rowsOf(AuthIdentity);
    const count = (await passkeys.countBy({ userId })) + (await identities.countBy({ userId }));
    await passkeys.save(this.passkey);
    await identities.save(this.identity);
    return count;
  }

  async expectOneLeft(): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      const outcomes = await Promise.all([this.remove('passkey', round), this.remove('identity', round + 1)]);
      expect(outcomes.sort()).toEqual(['204', '40900 last']);
      expect(await this.restore()).toBe(1);
    }
  }
}

/** The last way to log in, with two instances on one database. */
export function describeLoginWays(place: Place): void {
  describe(`the last way to log in ${nameOf(place)}`, () => {
    const instances = sharedInstances(place, appWith);
    const [app] = instances;
    let ways: Ways;
    beforeEach(async () => {
      const user = await app.user();
      ways = await Ways.of(user, instances);
      await app.users.update(user.id, { passwordHash: null });
    });

    it('stays when a passkey and an identity are removed at once', () => ways.expectOneLeft());

    it('is an identity or a passkey', async () => {
      expect(await ways.remove('passkey')).toBe('204');
      expect(await ways.remove('identity')).toBe('40900 last');
      await ways.restore();
      expect(await ways.remove('identity')).toBe('204');
      expect(await ways.remove('passkey')).toBe('40900 last');
    });
  });
}

/** With users of their own, in transactions of TypeORM. */
export function describeOwnLoginWays({
  platform,
  database,
}: Required<Pick<TestAppOptions, 'platform' | 'database'>>): void {
  describe.each(OWN_USER_STORES)(
    `the last way to log in of own users $how on ${String(database)}`,
    ({ users: module, store }) => {
      const app = sharedTestApp(
        appWith({
          platform,
          database,
          admin: false,
          core: KitAuthModule.forRoot({
            users: module,
            password: { cost: 10 },
            jwt: { checkStamp: 0 },
          }),
        }),
      );

      it('stays when a passkey and an identity are removed at once', async () => {
        const users = app.get<OwnUsers>(store);
        const id = users.insert({ name: 'ada', hash: bcrypt.hashSync(PASSWORD, 10) });
        const ways = await Ways.of({ id, username: 'ada' }, [app]);
        users.db.exec('update account set hash = null');
        await ways.expectOneLeft();
      });
    },
  );
}
