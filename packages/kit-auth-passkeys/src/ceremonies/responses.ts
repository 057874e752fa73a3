import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { AuthErrorCode, AuthException } from 'kit-auth';
import { badRequest, type JsonRequest, readJsonObject } from 'kit-auth/extend';

/** The whole answer of an authenticator, as JSON. */
const MAX_BYTES = 16 * 1024;
/** The most that WebAuthn allows. */
const MAX_ID_BYTES = 1023;
const MAX_TOKEN = 1024;
const MAX_TRANSPORTS = 10;
const TRANSPORT = /^[a-z][a-z\d-]{0,23}$/;
const BASE64URL = /^[\w-]+$/;

type Json = Readonly<Record<string, unknown>>;

/** The body of a request that completes a ceremony. */
export interface Answered<Response> {
  /** The token of the ceremony. */
  readonly ceremony: string;
  readonly response: Response;
}

/**
 * Reads the body of a login. Only the form is checked, and members that nobody needs are left out.
 *
 * @throws AuthException 40000
 */
export function readAssertion(request: JsonRequest): Answered<AuthenticationResponseJSON> {
  const { ceremony, credential } = readCredential(request);
  return { ceremony, response: assertionOf(credential) };
}

/** @param response as `toJSON()` of the browser returns it. @throws AuthException 40000 */
export function assertionOf(response: object): AuthenticationResponseJSON {
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
 * Reads the body of a registration.
 *
 * @throws AuthException 40000, with the reason `not-discoverable` for a passkey that would need a user name
 */
export function readAttestation(request: JsonRequest): Answered<RegistrationResponseJSON> {
  const { ceremony, credential } = readCredential(request);
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
  const response: RegistrationResponseJSON = {
    ...idsOf(credential),
    response: {
      clientDataJSON: bytesIn(inner, 'clientDataJSON'),
      attestationObject: bytesIn(inner, 'attestationObject'),
      transports: transportsIn(inner),
    },
    clientExtensionResults: {},
    type: 'public-key',
  };
  return { ceremony, response };
}

function readCredential(request: JsonRequest): { ceremony: string; credential: Json } {
  const { ceremony, response } = readJsonObject(request, 'a JSON object with "ceremony" and "response"');
  if (typeof ceremony !== 'string' || ceremony === '' || ceremony.length > MAX_TOKEN) {
    throw badRequest('"ceremony" must be the string that came with the options');
  }
  return { ceremony, credential: credentialOf(response) };
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

/** Browsers and libraries also send null or an empty string for what they do not have. */
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

/** They are hints, and new ones may come: a registration never fails because of them. */
function transportsIn({ transports }: Json): string[] {
  const hints = Array.isArray(transports) ? transports.filter(isTransport) : [];
  return [...new Set(hints)].sort().slice(0, MAX_TRANSPORTS);
}

function isTransport(value: unknown): value is string {
  return typeof value === 'string' && TRANSPORT.test(value);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Infinite for a value that is nested too deeply. */
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
