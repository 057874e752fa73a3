import { hash, type KeyObject } from 'node:crypto';

/** Flags of the authenticator data. */
const UP = 0x01;
const UV = 0x04;
const BE = 0x08;
const BS = 0x10;
const HAS_CREDENTIAL = 0x40;

/** The content of the authenticator data. */
export interface AuthenticatorState {
  readonly rpId: string;
  readonly flags: { readonly up: boolean; readonly uv: boolean; readonly be: boolean; readonly bs: boolean };
  readonly counter: number;
  readonly credential?: { readonly aaguid: Uint8Array; readonly id: Uint8Array; readonly key: Uint8Array };
}

/** The authenticator data of WebAuthn. */
export function authenticatorData({ rpId, flags, counter, credential }: AuthenticatorState): Buffer {
  const bits =
    (flags.up ? UP : 0) |
    (flags.uv ? UV : 0) |
    (flags.be ? BE : 0) |
    (flags.bs ? BS : 0) |
    (credential ? HAS_CREDENTIAL : 0);
  const counted = Buffer.alloc(5);
  counted.writeUInt8(bits);
  counted.writeUInt32BE(counter, 1);
  const attested = credential
    ? [credential.aaguid, uint16(credential.id.length), credential.id, credential.key]
    : [];
  return Buffer.concat([hash('sha256', rpId, 'buffer'), counted, ...attested]);
}

/** A COSE key (RFC 9053). */
export function coseKey(key: KeyObject): Buffer {
  const { kty, x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' });
  const of = (member: string) => bytes(Buffer.from(member, 'base64url'));
  switch (kty) {
    case 'EC':
      return cose([1, 2], [3, -7], [-1, 1], [-2, of(x)], [-3, of(y)]);
    case 'RSA':
      return cose([1, 3], [3, -257], [-1, of(n)], [-2, of(e)]);
    default:
      return cose([1, 1], [3, -8], [-1, 6], [-2, of(x)]);
  }
}

function cose(...entries: [number, number | Buffer][]): Buffer {
  const value = (of: number | Buffer) => (typeof of === 'number' ? integer(of) : of);
  return map(entries.map(([label, of]) => [integer(label), value(of)]));
}

// CBOR (RFC 8949): each item begins with a major type and a length.

/** A map of encoded keys and values. */
export function map(entries: readonly (readonly [Uint8Array, Uint8Array])[]): Buffer {
  return Buffer.concat([head(5, entries.length), ...entries.flat()]);
}

export function bytes(value: Uint8Array): Buffer {
  return Buffer.concat([head(2, value.length), value]);
}

export function text(value: string): Buffer {
  return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
}

function integer(value: number): Buffer {
  return value < 0 ? head(1, -1 - value) : head(0, value);
}

function head(major: number, value: number): Buffer {
  const type = major << 5;
  if (value < 24) {
    return Buffer.from([type | value]);
  }
  return value < 256
    ? Buffer.from([type | 24, value])
    : Buffer.concat([Buffer.from([type | 25]), uint16(value)]);
}

function uint16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeUInt16BE(value);
  return buffer;
}
