import { createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { IllegalStateException, type UserId } from 'kit-auth';
import { invalidToken } from 'kit-auth/extend';
import {
  type CarriedAudience,
  jobsOptions,
  type ResolvedJobsOptions,
  secondsOf,
} from '../config/jobs.options.js';
import { canonicalJson } from './canonical-json.js';

export const CARRIED_PREFIX = 'kapj_';

const VERSION = 1;
const MAX_LENGTH = 1024;
/** The payload, and the signature of 32 bytes, in base64url. */
const FORM = /^kapj_([\w-]+)_([\w-]{43})$/;
/** The clocks of two servers may differ by so many seconds. */
const SKEW_SECONDS = 5;

/** Who is carried. */
export interface Carried {
  readonly audience: string;
  readonly userId: UserId;
  readonly loginId: string | undefined;
  /** The user who really acts. */
  readonly actorId: UserId | undefined;
  /** Whether the login had shown a second factor. */
  readonly secondFactor: boolean;
  /** In seconds since 1970. */
  readonly expiresAt: number;
}

type Payload = readonly [
  version: number,
  audience: string,
  userId: UserId,
  issuedAt: number,
  expiresAt: number,
  /** 0 if there is none. */
  loginId: string | 0,
  /** 0 if there is none. */
  actorId: UserId,
  binding: string,
  secondFactor: 0 | 1,
];

/**
 * The form in which users are carried: `kapj_<payload>_<signature>`. The payload is a JSON list, and the signature an
 * HMAC-SHA-256 with a key of the audience. The payload contains a hash of the data of the job or message, so that the
 * token fits no other data.
 */
@Injectable()
export class CarriedTokens {
  /** By audience: one key for each secret. */
  private readonly keys: ReadonlyMap<string, readonly Buffer[]>;
  private readonly audiences: ReadonlyMap<string, CarriedAudience>;

  /** The first secret signs. All secrets verify. */
  constructor(@Inject(jobsOptions.token) { settings }: Pick<ResolvedJobsOptions, 'settings'>) {
    this.audiences = new Map(Object.entries(settings.audiences));
    this.keys = new Map(
      this.names().map((audience) => [
        audience,
        settings.keys.map((secret) =>
          Buffer.from(hkdfSync('sha256', secret, '', `kit-auth jobs ${audience}`, 32)),
        ),
      ]),
    );
  }

  /** The names of all audiences. */
  names(): string[] {
    return [...this.audiences.keys()];
  }

  /** @throws IllegalStateException for an unknown audience */
  audience(name: string): CarriedAudience {
    const audience = this.audiences.get(name);
    if (audience === undefined) {
      throw new IllegalStateException(
        `kit.auth.jobs.audiences has no audience '${name}', only ${this.names().join(', ')}. Add it.`,
      );
    }
    return audience;
  }

  /**
   * @param until the latest end, in seconds since 1970
   * @throws AuthException 40101 `expired` if that is over
   * @throws TypeError for data that JSON cannot transport
   */
  sign(carried: Omit<Carried, 'expiresAt'>, data: unknown, until = Infinity): string {
    requireNotOver(until);
    const { audience, userId, loginId = 0, actorId = 0, secondFactor } = carried;
    const issuedAt = Math.floor(Date.now() / 1000);
    const expiresAt = Math.min(issuedAt + secondsOf(this.audience(audience)), until);
    const payload: Payload = [
      VERSION,
      audience,
      userId,
      issuedAt,
      expiresAt,
      loginId,
      actorId,
      bindingOf(data),
      secondFactor ? 1 : 0,
    ];
    const body = `${CARRIED_PREFIX}${Buffer.from(JSON.stringify(payload)).toString('base64url')}`;
    const [key] = this.keys.get(audience) as [Buffer];
    return `${body}_${signatureOf(body, key)}`;
  }

  /**
   * @param names the audiences that may be meant
   * @throws AuthException 40101 with the reason `malformed`, `audience`, `signature`, `expired`, or `data` for other data
   */
  verify(names: readonly string[], token: string, data: unknown): Carried {
    const [version, audience, userId, issuedAt, expiresAt, loginId, actorId, binding, secondFactor] =
      this.signed(names, token);
    if (version !== VERSION || issuedAt > Date.now() / 1000 + SKEW_SECONDS) {
      throw invalidToken('malformed');
    }
    requireNotOver(expiresAt);
    if (!isBoundTo(data, binding)) {
      throw invalidToken('data');
    }
    return {
      audience,
      userId,
      loginId: loginId === 0 ? undefined : loginId,
      actorId: actorId === 0 ? undefined : actorId,
      secondFactor: secondFactor === 1,
      expiresAt,
    };
  }

  /** The payload of a token whose signature is right. */
  private signed(names: readonly string[], token: string): Payload {
    const [, text = '', signature = ''] = (token.length <= MAX_LENGTH && FORM.exec(token)) || [];
    const payload = payloadIn(text);
    if (payload === undefined) {
      throw invalidToken('malformed');
    }
    const [, audience] = payload;
    const keys = names.includes(audience) ? this.keys.get(audience) : undefined;
    if (keys === undefined) {
      throw invalidToken('audience');
    }
    const body = `${CARRIED_PREFIX}${text}`;
    if (!keys.some((key) => isSame(signature, signatureOf(body, key)))) {
      throw invalidToken('signature');
    }
    return payload;
  }
}

/** @returns undefined unless it is a list with the audience. Its other items are known once its signature is verified */
function payloadIn(text: string): Payload | undefined {
  try {
    const payload: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(payload) && typeof payload[1] === 'string'
      ? (payload as unknown as Payload)
      : undefined;
  } catch {
    return undefined;
  }
}

/** @throws AuthException 40101 `expired` */
function requireNotOver(expiresAt: number): void {
  if (expiresAt + SKEW_SECONDS <= Date.now() / 1000) {
    throw invalidToken('expired');
  }
}

function signatureOf(body: string, key: Buffer): string {
  return createHmac('sha256', key).update(body).digest('base64url');
}

/** @param a a text of as many ASCII characters as the other */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

function bindingOf(data: unknown): string {
  return hash('sha256', canonicalJson(data), 'base64url');
}

function isBoundTo(data: unknown, binding: string): boolean {
  try {
    return bindingOf(data) === binding;
  } catch {
    return false; // JSON cannot transport such data, so nobody has signed it
  }
}
