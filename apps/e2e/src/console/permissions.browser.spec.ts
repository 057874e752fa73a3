import { beforeAll, describe, expect, it } from '@jest/globals';
import { RouteAccessReport } from 'kit-auth';
import { AuthApiKey } from 'kit-auth-keys/typeorm';
import { AuthIdentity } from 'kit-auth-oidc/typeorm';
import { AuthPasskey } from 'kit-auth-passkeys/typeorm';
import { UserAddresses } from 'kit-auth-email';
import { freePorts, sweepOf } from 'test-support';
import { sharedChromium } from '../browser/chromium.js';
import { ALL_EXTRAS, ConsoleApp } from './app.js';
import { enrol } from './factors.js';
import { ConsoleTab } from './tab.js';
import { ConsoleWalk } from './walk.js';

const profile = sharedChromium();

/** What administrators may have. Who cannot read anything does not get in. */
const RIGHTS = {
  'reads users': ['auth:user:read'],
  'reads and writes users': ['auth:user:read', 'auth:user:write'],
  'writes users': ['auth:user:write'],
  'reads roles': ['auth:role:read'],
  'reads and writes roles': ['auth:role:read', 'auth:role:write'],
  'writes roles, and gives them': ['auth:role:read', 'auth:role:write', 'auth:user:read', 'auth:user:write'],
  'reads sessions': ['auth:session:read'],
  'ends sessions': ['auth:session:read', 'auth:session:end'],
  'ends sessions that others list': ['auth:session:end', 'auth:audit:read'],
  'reads the audit log': ['auth:audit:read'],
};

/** With `kit-auth-email`, users get a link instead of a password. Nobody here is locked out. */
const NOT_OFFERED = ['POST users/{}/password', 'POST users/{}/unlock'];
/** Who cannot read users, or sessions, does not see what these would replace or remove. */
const NEED_A_LOOK = {
  'auth:user:read': /^(PUT|DELETE) users\/{}\/(roles|factors|passkeys|identities)/,
  'auth:session:read': /^DELETE users\/{}\/(sessions|keys)\/{}/,
};

/** The shortest, the longest, and those that cannot read what they change. A sweep has all. */
const WALKS = sweepOf(Object.keys(RIGHTS), [
  'reads users',
  'writes users',
  'ends sessions that others list',
  'writes roles, and gives them',
]);

let apps = 0;

describe('what administrators are shown', () => {
  let app: ConsoleApp;
  beforeAll(async () => {
    app = await new ConsoleApp({ extras: ALL_EXTRAS, ownPort: (await freePorts(1))[0]! }).start();
  });

  /** A user who has something of everything that can be ended. */
  async function subject(): Promise<{ id: number; username: string }> {
    const user = await app.user({ roles: ['plain'] });
    const userId = String(user.id);
    await app.get(UserAddresses).assign(user.id, `${user.username}@app.example`, { verified: true });
    await app.tokenOf(user);
    await app.tokenOf(user);
    await enrol(app, user);
    for (const i of [1, 2]) {
      const id = `${user.id}-${i}`;
      const times = { createdAt: Date.now(), lastUsedAt: null };
      await app.rowsOf(AuthPasskey).save({
        ...{ id, userId, name: `Laptop ${i}`, credentialId: id, publicKey: 'AA', algorithm: -7, counter: 0 },
        ...{ deviceType: 'multi', backedUp: true, transports: '', aaguid: '', ...times },
      });
      await app.rowsOf(AuthApiKey).save({
        ...{ id, userId, name: `Key ${i}`, hash: id, abilities: '["note:read"]', lastAddress: null },
        ...{ endedBy: null, expiresAt: null, ...times },
      });
      await app.rowsOf(AuthIdentity).save({
        ...{ id, userId, provider: 'test', issuer: 'https://login.example.com', subject: id },
        ...{ address: null, ...times },
      });
    }
    return user;
  }

  /** The administrative endpoints that permissions open, without those that only other ones lead to. */
  function opened(permissions: readonly string[]): string[] {
    return app
      .get(RouteAccessReport)
      .decided()
      .filter(({ ours, path }) => ours && path.startsWith('/v1/api/auth/'))
      .flatMap(({ method, path, rule }) => {
        const needed = rule.requirements.flatMap((it) => (it.kind === 'permission' ? it.names : []));
        const isOpen = needed.length > 0 && needed.every((it) => permissions.includes(it));
        return isOpen ? [`${method} ${path.slice('/v1/api/auth/'.length).replace(/:\w+/g, '{}')}`] : [];
      });
  }

  it.each(WALKS)('who %s sees what the server allows', async (who) => {
    const permissions = RIGHTS[who as keyof typeof RIGHTS];
    await app.roles.delete({ code: 'plain' }).catch(() => undefined);
    if (!(await app.roles.findOneBy({ code: 'plain' }))) {
      await app.role({ code: 'plain' });
    }
    const code = `right-${++apps}`;
    await app.role({ code, permissions });
    const spare = `spare-${apps}`;
    await app.role({ code: spare });
    const about = await subject();
    const { username } = await app.user({ roles: [code] });
    const context = await profile();
    const page = await ConsoleTab.open(context, app.origin);
    await page.logIn(username);
    const walk = new ConsoleWalk(page, { id: about.id, username: about.username, role: spare });
    await walk.everything();
    expect(walk.refused).toEqual([]);
    const needLooks = Object.entries(NEED_A_LOOK).filter(([permission]) => !permissions.includes(permission));
    const isOffered = (it: string) =>
      !NOT_OFFERED.includes(it) && !needLooks.some(([, calls]) => calls.test(it));
    expect(opened(permissions).filter((it) => isOffered(it) && !walk.called.has(it))).toEqual([]);
    await context.close();
  });

  it.each([[[]], [['note:read']], [['auth:role:write']], [['auth:session:end']]])(
    'who has %j gets no further than the login',
    async (permissions) => {
      const code = `right-${++apps}`;
      await app.role({ code, permissions });
      const { username } = await app.user({ roles: [code] });
      const context = await profile();
      const page = await ConsoleTab.open(context, app.origin);
      await page.enter(username);
      await page.gate('No access');
      expect((await page.answers()).filter(({ outcome }) => outcome === 40300)).toEqual([
        { call: 'GET console', outcome: 40300 },
      ]);
      await context.close();
    },
  );
});
