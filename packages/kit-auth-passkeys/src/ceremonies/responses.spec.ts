import { describe, expect, it } from '@jest/globals';
import { fakePasskey } from '../testing.js';
import { assertionOf, readAssertion, readAttestation } from './responses.js';

const passkey = fakePasskey({ origin: 'https://example.com' });
const user = { id: 'AAAA', name: 'ada', displayName: 'Ada' };
const created = passkey.create({ challenge: 'AAAA', rp: { id: 'example.com' }, user } as never);
const shown = passkey.get({ challenge: 'AAAA' });
const CEREMONY = 'kato_x';
const sent = (body: unknown) => ({ headers: { 'content-type': 'application/json' }, body }) as never;
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
    const { ceremony, response } = readAssertion(
      sent({ ceremony: CEREMONY, response: { ...shown, unknown: 1 } }),
    );
    expect(ceremony).toBe(CEREMONY);
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
    expect(() => readAssertion(sent({ ceremony: CEREMONY, response }))).toThrow(refusal);
  });

  it('is not nested without end', () => {
    expect(() => assertionOf({ ...shown, more: nested(100_000) })).toThrow(refusal);
  });

  it.each([undefined, null, 7, '', ['x'], 'x'.repeat(1025)])(
    'does not belong to the ceremony %j',
    (ceremony) => {
      expect(() => readAssertion(sent({ ceremony, response: shown }))).toThrow(refusal);
      expect(() => readAttestation(sent({ ceremony, response: created }))).toThrow(refusal);
    },
  );
});

describe('a registration', () => {
  const inner = (more: object) => ({ ...created, response: { ...created.response, ...more } });
  const read = (response: unknown) => readAttestation(sent({ ceremony: CEREMONY, response })).response;

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
