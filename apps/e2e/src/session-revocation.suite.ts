import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import type { LoginUser } from 'kit-auth';
import { KitAuthAdminModule } from 'kit-auth-admin';
import type { KitAuthSessionOptions } from 'kit-auth-session';
import { SessionAuthProvider } from '../../../packages/kit-auth-session/src/session.provider.js';
import { bearer } from './login.js';
import { BOTH, start } from './platforms.js';
import { postJson } from './raw-http.js';
import { Client, gate, SessionApp } from './session-app.js';

const ROUNDS = 50;
const AT_ONCE = 5;
const MODES: KitAuthSessionOptions[] = [
  { mode: 'stateful' },
  { mode: 'stateless', secret: 'a secret of at least 32 bytes, for tests' },
];

export interface RevocationSetting {
  name: string;
  db: () => TypeOrmModuleOptions;
  options: () => KitAuthSessionOptions;
  before?: () => Promise<void>;
  after?: () => Promise<void>;
}

/** What is over stays over, whatever the holder of a stolen token does at the same time. */
export function describeRevocation({ name, db, options, before, after }: RevocationSetting): void {
  const cases = BOTH.flatMap((platform) => MODES.map((mode) => ({ platform, mode, kind: mode.mode })));

  describe.each(cases)(`$kind sessions in ${name} on $platform`, ({ platform, mode }) => {
    let client: Client;
    let admin: string;
    beforeAll(async () => {
      await before?.();
      const imports = [SessionApp.with({ ...options(), ...mode }, db()), KitAuthAdminModule];
      client = new Client(await start({ module: class {}, imports }, { platform }));
      [admin] = (await tokensOf({ id: 1, username: 'admin' }, 1)) as [string];
    });
    afterAll(async () => {
      await client.running.app.close();
      await after?.();
    });

    const provider = () => client.running.app.get(SessionAuthProvider, { strict: false });
    /** As after so many logins, which would take the time of as many hashes. */
    const tokensOf = ({ id, username }: { id: number; username: string }, count: number) => {
      const user: LoginUser = {
        ...{ userId: id, username, nickname: username },
        ...{ superAdmin: false, roles: [], permissions: [] },
      };
      return Promise.all(Array.from({ length: count }, () => provider().issueToken(user)));
    };
    const statesOf = (...tokens: string[]) => Promise.all(tokens.map((token) => client.stateOf(token)));
    const endOthers = (token: string) => client.delete('/v1/api/auth/sessions', token);
    const kick = ({ id }: { id: number }) => client.delete(`/v1/api/auth/users/${id}/sessions`, admin);
    const changePassword = (token: string, newPassword: string) =>
      postJson(client.running.port, '/v1/api/auth/password', { currentPassword: 'right', newPassword }, [
        bearer(token),
      ]);

    it('are over once a kick is answered, with DELETE sessions of any of them in flight', async () => {
      const round = async () => {
        const user = await client.newUser();
        const [stolen, earlier] = (await tokensOf(user, 2)) as [string, string];
        const [kicked] = await Promise.all([
          ...[kick(user), endOthers(stolen)],
          ...[endOthers(stolen), endOthers(earlier)],
        ]);
        return [`${kicked?.status}`, ...(await statesOf(stolen, earlier))];
      };
      const unexpected: string[] = [];
      for (let rounds = 0; rounds < ROUNDS; rounds += AT_ONCE) {
        const states = await Promise.all(Array.from({ length: AT_ONCE }, round));
        unexpected.push(...states.flat().filter((state) => !/^204$|^40101/.test(state)));
      }
      expect(unexpected).toEqual([]);
    }, 30_000);

    it('stay over after ends that spare them', async () => {
      const user = await client.newUser();
      const [stolen] = (await tokensOf(user, 1)) as [string];
      const { id } = (await client.get('/v1/sessions/current', stolen)).json;
      await client.sessions.endAllOf(user.id);
      for (const reason of ['kicked', 'logged-out', 'password-changed'] as const) {
        await client.sessions.endAllOf(user.id, { exceptId: id, reason });
        expect(await client.stateOf(stolen)).toBe('40101 kicked');
      }
    });

    it.each(['others', 'id'])('end no other once they are over: DELETE %s', async (what) => {
      const user = await client.newUser();
      const [stolen, owners] = (await tokensOf(user, 2)) as [string, string];
      const { id } = (await client.get('/v1/sessions/current', owners)).json;
      const { open, entered } = gate.close();
      const late = client.delete(`/v1/sessions/${what === 'id' ? id : what}`, stolen);
      await entered;
      expect((await changePassword(owners, 'a passphrase of some length')).status).toBe(204);
      open();
      await late;
      expect(await statesOf(owners, stolen)).toEqual(['live', '40101 password-changed']);
    });

    it('are over after a change of the password that one of them has ended the session of', async () => {
      const user = await client.newUser();
      const [stolen, owners] = (await tokensOf(user, 2)) as [string, string];
      const { id } = (await client.get('/v1/sessions/current', owners)).json;
      expect((await endOthers(stolen)).status).toBe(204);
      // What a change of the password does that was let in before.
      await client.sessions.endAllOf(user.id, { exceptId: id, reason: 'password-changed' });
      await endOthers(stolen);
      expect(await statesOf(owners, stolen)).toEqual(['40101 logged-out', '40101 password-changed']);
    });
  });
}
