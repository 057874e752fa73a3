import { once } from 'node:events';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { WsAdapter } from '@nestjs/platform-ws';
import { de, en, KitAuthLanguagesModule } from 'kit-auth-languages';
import { firstValueFrom } from 'rxjs';
import { sharedTestApp, testApp } from 'test-support';
import { WebSocket } from 'ws';
import { GraphqlApp } from '../sockets/graphql-app.js';
import { clientOf, hybrid, TCP } from '../messages/services.js';
import { AnyUser, REFUSING, RefusingByItself } from '../messages/message-handlers.js';
import { type IoTestSocket, SocketsApp } from '../sockets/app.js';

const headers = { 'Accept-Language': 'de-AT, en;q=0.5' };
const imports = [KitAuthLanguagesModule];
const german = (code: string) =>
  expect.objectContaining({ code: Number(code), text: de[code], language: 'de' });
const english = (code: string) =>
  expect.objectContaining({ code: Number(code), text: en[code], language: 'en' });

describe.each([
  { adapter: 'ws', platform: 'express', provider: 'session' },
  { adapter: 'socket.io', platform: 'fastify', provider: 'jwt' },
] as const)('sockets of $adapter on $platform with $provider', (where) => {
  const app = sharedTestApp(new SocketsApp({ ...where, imports }));
  let token: string;
  beforeAll(async () => {
    await app.user({ username: 'ada' });
    token = await app.tokenOf('ada');
  });
  afterEach(() => app.leaveAll());

  it('have refusals in the language of their handshake, also without a user', async () => {
    const inGerman = await app.connected(token, 'chat', { headers });
    expect(await inGerman.ask('edit')).toEqual(german('40300'));
    expect(await (await app.connected(token, 'chat')).ask('edit')).toEqual(english('40300'));
    expect(await inGerman.ask('edit')).toEqual(german('40300'));
    const nobody = await app.connected(undefined, 'open', { headers });
    expect(await nobody.ask('edit')).toEqual(german('40100'));
  });

  it('have them in the answer to a new token', async () => {
    const socket = await app.connected(token, 'chat', { headers });
    socket.send('kit-auth', { token: 'x' });
    expect(await socket.next('kit-auth')).toEqual(
      expect.objectContaining({ code: 40101, text: expect.any(String), language: 'de' }),
    );
  });

  if (where.adapter === 'socket.io') {
    it('have them in connect_error', async () => {
      const { client } = app.connect(undefined, 'chat', { headers }) as IoTestSocket;
      const error = await new Promise((resolve) => client.once('connect_error', resolve));
      expect(error).toMatchObject({ message: expect.stringContaining('token'), data: german('40100') });
    });
  }
});

describe.each([
  { server: 'apollo', platform: 'express', provider: 'session' },
  { server: 'mercurius', platform: 'fastify', provider: 'jwt' },
] as const)('GraphQL with $server on $platform with $provider', (where) => {
  const app = sharedTestApp(new GraphqlApp({ ...where, imports }));
  let token: string;
  beforeAll(async () => {
    await app.user({ username: 'ada' });
    token = await app.tokenOf('ada');
  });
  afterEach(() => app.leaveAll());

  it('has the sentence beside the code, with the message in English', async () => {
    const ask = (bearer?: string, language = headers['Accept-Language']) =>
      app.request('/graphql', {
        method: 'POST',
        headers: [`Accept-Language: ${language}`],
        json: { query: 'mutation { edit }' },
        ...(bearer !== undefined && { token: bearer }),
      });
    const answer = await ask(token);
    const [error] = answer.json.errors;
    expect(error).toMatchObject({
      message: 'The user lacks the role editor',
      extensions: { originalError: german('40300') },
    });
    expect(answer.headers['vary']).toContain('Accept-Language');
    expect(answer.headers['content-language']).toBeUndefined();
    expect((await ask(token, 'en')).json.errors[0].extensions.originalError).toEqual(english('40300'));
  });

  it('has it on a socket, in the language of the handshake', async () => {
    const client = app.graphql({ token }, headers);
    expect(await client.ask('mutation { edit }')).toMatchObject({
      extensions: { originalError: german('40300') },
    });
  });
});

it.each([true, false])(
  'microservices with inheritAppConfig: %s have refusals in the fallback, because messages have no language',
  async (inheritAppConfig) => {
    const controllers = [...Object.values(REFUSING), RefusingByItself];
    const started = await hybrid({ imports, providers: [AnyUser], controllers }, TCP, inheritAppConfig);
    const client = await clientOf(started.service);
    const ask = (message: string) => firstValueFrom(client.send<unknown>(message, {}));
    await expect(ask(Object.keys(REFUSING)[0] as string)).rejects.toEqual(english('40100'));
    if (inheritAppConfig) {
      await expect(ask('own refusal')).rejects.toEqual(english('40300'));
    }
    await client.close();
    await started.close();
  },
);

it('gateways without kit-auth-sockets have refusals in the fallback', async () => {
  const app = await testApp({
    imports,
    providers: [AnyUser, ...Object.values(REFUSING).slice(0, 1)],
    configure: (nest) => nest.useWebSocketAdapter(new WsAdapter(nest)),
  });
  const client = new WebSocket(`ws://127.0.0.1:${app.port}`, { headers });
  await once(client, 'open');
  client.send(JSON.stringify({ event: Object.keys(REFUSING)[0], data: {} }));
  const [answer] = (await once(client, 'message')) as [Buffer];
  expect(JSON.parse(answer.toString())).toEqual({ event: 'exception', data: english('40100') });
  client.terminate();
});
