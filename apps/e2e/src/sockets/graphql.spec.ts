import { once } from 'node:events';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sharedTestApp, until } from 'test-support';
import { WebSocket } from 'ws';
import { GraphqlApp, type GraphqlClient } from './graphql-app.js';

const WHERE = [
  { server: 'apollo', platform: 'express', provider: 'session' },
  { server: 'apollo', platform: 'fastify', provider: 'jwt' },
  { server: 'mercurius', platform: 'fastify', provider: 'session' },
] as const;

const ALL = 'noteAdded(all: true) { text }';

const refusalOf = (body: object) =>
  expect.objectContaining({ extensions: { originalError: expect.objectContaining(body) } });

describe.each(WHERE)('subscriptions of $server on $platform with $provider', (where) => {
  const app = sharedTestApp(new GraphqlApp({ ...where, admin: true }));
  let token: string;
  let client: GraphqlClient;

  beforeAll(async () => {
    await app.role({ code: 'editor' });
    await app.user({ username: 'ada' });
    await app.user({ username: 'eve', roles: ['editor'] });
  });
  beforeEach(async () => {
    token = await app.tokenOf('ada');
    client = app.graphql({ token });
    app.seen.length = 0;
  });
  afterEach(async () => {
    app.leaveAll();
    await until(() => (app.notes.listeners === 0 ? true : undefined));
  });

  it('know their user in the handler, filter, resolve, fields and generators', async () => {
    const notes = await client.listening('noteAdded(all: false) { text reader }', app);
    app.notes.publish('for bob');
    app.notes.publish('for ada');
    expect(await notes.event()).toEqual({
      noteAdded: { text: 'for ada resolved for ada', reader: 'ada' },
    });
    expect(app.seen).toEqual(['noteAdded ada false', 'resolve ada']);
    const counted = await client.listening('counted', app);
    app.notes.publish('one');
    expect(await counted.event()).toEqual({ counted: '1 one ada' });
    counted.leave();
    await client.ask('{ me }');
    app.notes.publish('last');
  });

  it('never mix two users of one source', async () => {
    const eve = app.graphql({ token: await app.tokenOf('eve') });
    const query = 'noteAdded(all: true) { text reader }';
    const both = [await client.listening(query, app), await eve.listening(query, app)] as const;
    const count = 10;
    for (let i = 0; i < count; i++) {
      app.notes.publish(`${i}`);
      void (i % 2 === 0 ? client : eve).ask('{ me }');
    }
    for (const [i, username] of ['ada', 'eve'].entries()) {
      for (let n = 0; n < count; n++) {
        expect(await both[i]?.event()).toEqual({
          noteAdded: { text: `${n} resolved for ${username}`, reader: username },
        });
      }
    }
  });

  it('are refused like requests, and the connection stays', async () => {
    expect(await (await client.listening('edits', app)).refusal()).toEqual(
      refusalOf({ statusCode: 403, code: 40300, missing: ['editor'] }),
    );
    expect(await client.ask('mutation { edit }')).toEqual(refusalOf({ code: 40300 }));
    expect(await client.ask('{ me }')).toEqual({ me: 'ada' });
    const eve = app.graphql({ token: await app.tokenOf('eve') });
    expect(await eve.ask('mutation { edit }')).toEqual({ edit: 'edited' });
    const edits = await eve.listening('edits', app);
    app.notes.publish('new');
    expect(await edits.event()).toEqual({ edits: 'new' });
  });

  it('need no token with @Public() and @OptionalUser(), and need one otherwise', async () => {
    const anybody = app.graphql();
    const [news, offers] = [await anybody.listening('news', app), await anybody.listening('offers', app)];
    const own = await client.listening('offers', app);
    app.notes.publish('sale');
    expect(await news.event()).toEqual({ news: 'sale' });
    expect(await offers.event()).toEqual({ offers: 'sale for nobody' });
    expect(await own.event()).toEqual({ offers: 'sale for ada' });
    expect(await anybody.ask('{ open }')).toEqual({ open: 'nobody' });
    const missing = refusalOf({ code: 40100 });
    expect(await anybody.ask('{ me }')).toEqual(missing);
    expect(await (await anybody.listening(ALL, app)).refusal()).toEqual(missing);
    expect(await (await anybody.listening('edits', app)).refusal()).toEqual(missing);
  });

  it('take the token of connectionParams or of the upgrade, and only one', async () => {
    const headers = { Authorization: `Bearer ${token}` };
    expect(await app.graphql(undefined, headers).ask('{ me }')).toEqual({ me: 'ada' });
    expect(await app.graphql({ token: null }, headers).ask('{ me }')).toEqual({ me: 'ada' });
    expect(await app.graphql(headers).ask('{ me }')).toEqual({ me: 'ada' });
    expect(await app.graphql({ token }, headers).closed()).toBe('4401 malformed');
    expect(await app.graphql({ token: `${token}x` }).closed()).toMatch(/^4401 /);
    expect(await app.graphql({ Token: token }).ask('{ me }')).toEqual(refusalOf({ code: 40100 }));
    expect(app.logs.all()).not.toContain(token);
  });

  it('end when their user loses the role, and others stay', async () => {
    const admin = await app.adminToken();
    const user = await app.user({ username: `u${Math.round(performance.now())}`, roles: ['editor'] });
    const editor = app.graphql({ token: await app.tokenOf(user) });
    const [edits, news] = [await editor.listening('edits', app), await editor.listening('news', app)];
    expect((await app.call(admin, 'PUT', `users/${user.id}/roles`, { roles: [] })).status).toBe(200);
    expect(await edits.refusal()).toEqual(refusalOf({ code: 40300, missing: ['editor'] }));
    app.notes.publish('still here');
    expect([await news.event(), edits.data]).toEqual([{ news: 'still here' }, []]);
    expect(await editor.ask('mutation { edit }')).toEqual(refusalOf({ code: 40300 }));
    expect(editor.end).toBeUndefined();
  });
});

describe.each(WHERE.filter(({ provider }) => provider === 'session'))('a login with $server', (where) => {
  const app = sharedTestApp(new GraphqlApp(where));

  beforeAll(() => app.user({ username: 'ada' }));
  afterEach(() => app.leaveAll());

  it('closes its connections when it ends', async () => {
    const [one, two] = [await app.tokenOf('ada'), await app.tokenOf('ada')];
    const [first, second] = [app.graphql({ token: one }), app.graphql({ token: two })];
    await first.listening(ALL, app);
    const staying = await second.listening(ALL, app);
    await app.call(one, 'POST', 'logout');
    expect(await first.closed()).toBe('4401 logged-out');
    app.notes.publish('after');
    expect(await staying.event()).toEqual({ noteAdded: { text: 'after resolved for ada' } });
    expect(second.end).toBeUndefined();
  });

  it('is in the registry, and has no event handled once it is closed, and leaves its generators', async () => {
    const client = app.graphql({ token: await app.tokenOf('ada') });
    const [notes, counted] = [await client.listening(ALL, app), await client.listening('counted', app)];
    const { id } = await app.users.findOneByOrFail({ username: 'ada' });
    const sockets = app.registry.ofUser(id);
    expect(sockets).toEqual([expect.objectContaining({ via: 'graphql', userId: id })]);
    app.seen.length = 0;
    const closing = app.registry.close(sockets, { reason: 'left' });
    app.notes.publish('after');
    await closing;
    expect(await client.closed()).toBe('4401 left');
    await until(() => (app.notes.listeners === 0 ? true : undefined));
    expect([notes.data, counted.data, app.seen]).toEqual([[], [], ['left']]);
  });

  it('cannot be changed by a second connection_init', async () => {
    const token = await app.tokenOf('ada');
    const socket = new WebSocket(`ws://127.0.0.1:${app.port}/graphql`, 'graphql-transport-ws');
    const seen: string[] = [];
    socket.on('message', (data) => seen.push(String(data)));
    socket.on('close', (code) => seen.push(`closed ${code}`));
    await once(socket, 'open');
    const init = JSON.stringify({ type: 'connection_init', payload: { token } });
    socket.send(init);
    await until(() => seen.find((line) => line.includes('connection_ack')));
    socket.send(init);
    await until(() => seen.find((line) => line.startsWith('closed')));
    expect(seen.filter((line) => line.includes('connection_ack'))).toHaveLength(1);
  });
});

it('subscriptions with a path of their own are decided by that path', async () => {
  const app = new GraphqlApp({ path: '/events', options: { protect: ['/graphql', '/events'] } });
  await app.start();
  expect(await app.graphql().ask('{ me }')).toEqual(refusalOf({ code: 40100 }));
  await app.close();
});

describe.each(WHERE.filter(({ provider }) => provider === 'session'))(
  'an application that is not guarded, with $server',
  (where) => {
    it('opens subscriptions to everybody', async () => {
      const app = await new GraphqlApp({ ...where, options: { enabled: false } }).start();
      const client = app.graphql({ token: 'wrong' });
      const edits = await client.listening('edits', app);
      app.notes.publish('new');
      expect([await edits.event(), await client.ask('{ me }')]).toEqual([{ edits: 'new' }, { me: null }]);
    });
  },
);
