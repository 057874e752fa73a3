import { describe, expect, it } from '@jest/globals';
import { sharedTestApp } from 'test-support';
import { KitAuthPasskeysModule } from '../kit-auth-passkeys.module.js';
import { fakePasskey } from '../testing.js';
import { assertionOf, attestationOf } from './responses.js';

const passkey = fakePasskey({ origin: 'https://example.com' });
const user = { id: 'AAAA', name: 'ada', displayName: 'Ada' };
const created = passkey.create({ challenge: 'AAAA', rp: { id: 'example.com' }, user } as never);
const shown = passkey.get({ challenge: 'AAAA' });
const refusal = expect.objectContaining({ code: 40000 });

function nested(depth: number): object {
  const outer: { x?: object } = {};
  for (let inner = outer, i = 0; i < depth; i++) {
    inner = inner.x = {};
  }
  return outer;
}

describe('the answer of an authenticator', () => {
  const inner = (more: object) => ({ ...shown, response: { ...shown.response, ...more } });

  it('is read, and members that nobody needs are left out', () => {
    const response = assertionOf({ ...shown, unknown: 1 });
    expect(response).toEqual({ ...shown, clientExtensionResults: {}, authenticatorAttachment: undefined });
    expect(Object.keys(response).sort()).toEqual([
      'clientExtensionResults',
      'id',
      'rawId',
      'response',
      'type',
    ]);
  });

  it.each([undefined, null, ''])(
    'has no user handle if it is %j, as some authenticators send it',
    (userHandle) => {
      expect(assertionOf(inner({ userHandle })).response).not.toHaveProperty('userHandle');
    },
  );

  it.each([undefined, null, ''])('has the raw id that its id says if it is %j', (rawId) => {
    expect(assertionOf({ ...shown, rawId }).rawId).toBe(shown.id);
  });

  it.each([
    null,
    [shown],
    { ...shown, type: 'password' },
    { ...shown, id: 'a+b/' },
    { ...shown, id: undefined },
    { ...shown, rawId: 7 },
    { ...shown, response: null },
    inner({ clientDataJSON: undefined }),
    inner({ signature: `${shown.response.signature}==` }),
    inner({ authenticatorData: [1] }),
    inner({ userHandle: 7 }),
    { ...shown, padding: 'x'.repeat(16 * 1024) },
  ])('is not %j', (response) => {
    expect(() => assertionOf(response)).toThrow(refusal);
  });

  it('is not nested without end', () => {
    expect(() => assertionOf({ ...shown, more: nested(100_000) })).toThrow(refusal);
  });
});

describe('a registration', () => {
  const inner = (more: object) => ({ ...created, response: { ...created.response, ...more } });
  const read = attestationOf;

  const MANY = Array.from({ length: 11 }, (_, i) => `t${'-'.repeat(i)}`);

  it('is read, with its transports in order, each once', () => {
    const { response, ...rest } = read(inner({ transports: ['usb', 'nfc', 'usb'] }));
    expect(response.transports).toEqual(['nfc', 'usb']);
    expect(rest).toEqual({
      id: created.id,
      rawId: created.rawId,
      type: 'public-key',
      clientExtensionResults: {},
    });
    expect(read({ ...created, rawId: undefined }).rawId).toBe(created.id);
  });

  it.each<[transports: unknown, hints: string[]]>([
    [undefined, []],
    [null, []],
    ['usb', []],
    [{ usb: true }, []],
    [
      ['usb', null, 'USB', '', 'a,b', 'x'.repeat(25), ['nfc'], 'of-2040'],
      ['of-2040', 'usb'],
    ],
    [MANY, MANY.slice(0, 10)],
  ])('has transports as hints: %j', (transports, hints) => {
    expect(read(inner({ transports })).response.transports).toEqual(hints);
  });

  it.each([inner({ attestationObject: '' }), inner({ clientDataJSON: 7 }), { ...created, rawId: [] }])(
    'is not %j',
    (response) => {
      expect(() => read(response)).toThrow(refusal);
    },
  );

  it('has an id of at most 1,023 bytes', () => {
    const longest = Buffer.alloc(1023, 7).toString('base64url');
    expect(read({ ...created, id: longest, rawId: longest }).id).toBe(longest);
    const longer = Buffer.alloc(1024, 7).toString('base64url');
    expect(() => read({ ...created, id: longer, rawId: longer })).toThrow(refusal);
  });

  it('is discoverable, as far as the browser says', () => {
    const saying = (clientExtensionResults: unknown) => () => read({ ...created, clientExtensionResults });
    expect(saying({ credProps: { rk: false } })).toThrow(
      expect.objectContaining({ code: 40000, reason: 'not-discoverable' }),
    );
    for (const silent of [undefined, null, {}, { credProps: null }, { credProps: { rk: true } }]) {
      expect(saying(silent)).not.toThrow();
    }
  });
});

describe('the body of a request', () => {
  const app = sharedTestApp({
    imports: [KitAuthPasskeysModule.forRoot({ rpId: 'example.com', rpName: 'Example' })],
  });
  const logIn = async (body: object) => (await app.call(undefined, 'POST', 'login/passkey', body)).json;
  const add = async (body: object) => (await app.call(await app.adminToken(), 'POST', 'passkeys', body)).json;

  it.each([undefined, null, 7, '', ['x'], 'x'.repeat(1025)])('has no ceremony %j', async (ceremony) => {
    const wrong = { code: 40000, message: '"ceremony" must be the string that came with the options' };
    expect(await logIn({ ceremony, response: shown })).toMatchObject(wrong);
    expect(await add({ ceremony, response: created })).toMatchObject(wrong);
  });

  it.each([undefined, null, [], 'x', {}])('has no response %j', async (response) => {
    const wrong = {
      code: 40000,
      message: expect.stringMatching(/^"(response|type)" is missing or malformed/),
    };
    expect(await logIn({ ceremony: 'kato_x', response })).toMatchObject(wrong);
    expect(await add({ ceremony: 'kato_x', response })).toMatchObject(wrong);
  });

  it('is an object', async () => {
    expect(await logIn([])).toMatchObject({
      code: 40000,
      message: 'Send a JSON object with "ceremony" and "response" as application/json',
    });
    expect(await add([])).toMatchObject({
      code: 40000,
      message: 'Send a JSON object as application/json',
    });
  });

  it.each([
    [{ endOthers: 'yes' }, '"endOthers" must be true or false'],
    [{ endOthers: null }, '"endOthers" must be true or false'],
    [{ name: null }, '"name" must be a name of at most 64 characters, such as "My phone"'],
    [{ name: ' ' }, '"name" must be a name of at most 64 characters, such as "My phone"'],
  ])('of a new passkey has nothing like %j', async (wrong, message) => {
    const body = { ceremony: 'kato_x', response: created, ...wrong };
    expect(await add(body)).toMatchObject({ code: 40000, message });
  });
});
