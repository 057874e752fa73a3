import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { AuthErrorCode, AuthException } from 'kit-auth';
import { badRequest } from 'kit-auth/feature';
import { isObject } from 'kit-auth/tools';

/** The length of a response as JSON. */
const MAX_BYTES = 16 * 1024;
/** The limit of WebAuthn. */
const MAX_ID_BYTES = 1023;
const MAX_TRANSPORTS = 10;
const TRANSPORT = /^[a-z][a-z\d-]{0,23}$/;
const BASE64URL = /^[\w-]+$/;

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads the response to `navigator.credentials.get()`. Checks the form only, and leaves out unused members.
 *
 * @param response as `toJSON()` of the browser returns it
 * @throws AuthException 40000
 */
export function assertionOf(response: unknown): AuthenticationResponseJSON {
  const credential = credentialOf(response);
  const inner = objectIn(credential, 'response');
  return {
    ...idsOf(credential),
    response: {
      clientDataJSON: bytesIn(inner, 'clientDataJSON'),
      authenticatorData: bytesIn(inner, 'authenticatorData'),
      signature: bytesIn(inner, 'signature'),
      ...(isGiven(inner['userHandle']) && { userHandle: bytesIn(inner, 'userHandle') }),
    },
    clientExtensionResults: {},
    type: 'public-key',
  };
}

/**
 * Reads the response to `navigator.credentials.create()`.
 *
 * @throws AuthException 40000, with the reason `not-discoverable` for a passkey that would need a user name
 */
export function attestationOf(response: unknown): RegistrationResponseJSON {
  const credential = credentialOf(response);
  const inner = objectIn(credential, 'response');
  const { credProps } = (credential['clientExtensionResults'] ?? {}) as {
    credProps?: { rk?: unknown } | null;
  };
  if (credProps?.rk === false) {
    throw AuthException.refusal(AuthErrorCode.BAD_REQUEST, {
      reason: 'not-discoverable',
      message: 'This authenticator cannot store the passkey. Use another one',
    });
  }
  return {
    ...idsOf(credential),
    response: {
      clientDataJSON: bytesIn(inner, 'clientDataJSON'),
      attestationObject: bytesIn(inner, 'attestationObject'),
      transports: transportsIn(inner),
    },
    clientExtensionResults: {},
    type: 'public-key',
  };
}

/** @throws AuthException 40000 for more than 16 KB */
function credentialOf(response: unknown): Json {
  if (!isObject(response)) {
    throw malformed('response');
  }
  if (sizeOf(response) > MAX_BYTES) {
    throw badRequest(`"response" must have at most ${MAX_BYTES} bytes`);
  }
  if (response['type'] !== 'public-key') {
    throw malformed('type');
  }
  return response;
}

function idsOf(credential: Json): { id: string; rawId: string } {
  const id = bytesIn(credential, 'id');
  if (Buffer.byteLength(id, 'base64url') > MAX_ID_BYTES) {
    throw badRequest(`"id" must have at most ${MAX_ID_BYTES} bytes`);
  }
  return { id, rawId: isGiven(credential['rawId']) ? bytesIn(credential, 'rawId') : id };
}

/** Browsers and libraries also send null or an empty string for absent members. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function objectIn(parent: Json, name: string): Json {
  const value = parent[name];
  if (!isObject(value)) {
    throw malformed(name);
  }
  return value;
}

function bytesIn(parent: Json, name: string): string {
  const value = parent[name];
  if (typeof value !== 'string' || !BASE64URL.test(value)) {
    throw malformed(name);
  }
  return value;
}

/** Transports are hints, and browsers may add new ones: a registration never fails because of them. */
function transportsIn({ transports }: Json): string[] {
  const hints = Array.isArray(transports) ? transports.filter(isTransport) : [];
  return [...new Set(hints)].sort().slice(0, MAX_TRANSPORTS);
}

function isTransport(value: unknown): value is string {
  return typeof value === 'string' && TRANSPORT.test(value);
}

/** The length as JSON. Infinite for a value that is nested too deeply. */
function sizeOf(value: object): number {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    return Infinity;
  }
}

function malformed(name: string): AuthException {
  return badRequest(
    `"${name}" is missing or malformed. Send the result of toJSON() of the browser's credential as "response"`,
  );
}
