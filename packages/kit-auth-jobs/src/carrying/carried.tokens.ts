import { createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { IllegalStateException, type UserId } from 'kit-auth';
import { invalidToken } from 'kit-auth/feature';
import { type CarriedAudience, jobsOptions, type ResolvedJobsOptions, secondsOf } from '../jobs.options.js';
import { canonicalJson, canonicalName } from './canonical-json.js';

export const CARRIED_PREFIX = 'kapj_';

const VERSION = 2;
const MAX_LENGTH = 1024;
/** The payload, and the signature of 32 bytes, in base64url. */
const FORM = /^kapj_([\w-]+)_([\w-]{43})$/;
/** The clocks of two servers may differ by so many seconds. */
const SKEW_SECONDS = 5;

/** The content of a token. */
export interface Carried {
  readonly audience: string;
  readonly userId: UserId;
  readonly loginId: string | undefined;
  /** The user who really acts. */
  readonly actorId: UserId | undefined;
  /** True if the login had shown a second factor. */
  readonly secondFactor: boolean;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/** The job or message that arrives. */
export interface Arrived {
  /** Undefined if no user may be carried here. */
  readonly audience: string | undefined;
  /** The name of the job, or the pattern of the message. */
  readonly name: unknown;
  /** Without the user. */
  readonly data: unknown;
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
  dataHash: string,
  /** 0 if the user is for any job or message with the data. */
  nameHash: string | 0,
  secondFactor: 0 | 1,
];

/**
 * The form in which users are carried: `kapj_<payload>_<signature>`. The payload is a JSON list, and the signature an
 * HMAC-SHA-256 with a key of the audience. The payload contains hashes of the data and of the name of the job or message, so
 * that the token fits no other.
 */
@Injectable()
export class CarriedTokens {
  private readonly logger = new Logger('KitAuth');
  private hasWarned = false;
  /** One key for each secret, by audience. */
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

  /** The name of the only audience. Undefined if there are several. */
  soleName(): string | undefined {
    const [name, ...others] = this.names();
    return others.length === 0 ? name : undefined;
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
   * @throws TypeError for a name that is none, and for data that JSON cannot transport
   */
  sign(
    carried: Omit<Carried, 'expiresAt'>,
    { name, data }: Omit<Arrived, 'audience'>,
    until = Infinity,
  ): string {
    requireNotOver(until);
    const nameHash = hashOfName(name);
    if (name === undefined) {
      this.warnOfNames();
    } else if (nameHash === 0) {
      throw new TypeError(
        "for must be the name of the job or the pattern of the message, for example { for: 'invoice.create' }.",
      );
    }
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
      hashOfData(data),
      nameHash,
      secondFactor ? 1 : 0,
    ];
    const body = `${CARRIED_PREFIX}${Buffer.from(JSON.stringify(payload)).toString('base64url')}`;
    const [key] = this.keys.get(audience) as [Buffer];
    return `${body}_${signatureOf(body, key)}`;
  }

  /**
   * @throws AuthException 40101 with the reason `malformed`, `audience`, `signature`, `expired`, `name` for a job or message of
   * another name, or `data` for other data
   */
  verify(token: string, arrived: Arrived): Carried {
    const [
      version,
      audience,
      userId,
      issuedAt,
      expiresAt,
      loginId,
      actorId,
      dataHash,
      nameHash,
      secondFactor,
    ] = this.signed(token, arrived.audience);
    if (version !== VERSION || issuedAt > Date.now() / 1000 + SKEW_SECONDS) {
      throw invalidToken('malformed');
    }
    requireNotOver(expiresAt);
    if (nameHash !== 0 && hashOfName(arrived.name) !== nameHash) {
      throw invalidToken('name');
    }
    if (!isOfData(arrived.data, dataHash)) {
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

  private warnOfNames(): void {
    if (!this.hasWarned) {
      this.hasWarned = true;
      this.logger.warn(
        '[jobs] a user was carried without the name of the job or message: whoever can write to the broker can use it for another ' +
          "one with the same data. Pass the name, as in data('reports', data, { for: 'report' })",
      );
    }
  }

  /** The payload of a token whose signature is right. */
  private signed(token: string, expected: string | undefined): Payload {
    const [, text = '', signature = ''] = (token.length <= MAX_LENGTH && FORM.exec(token)) || [];
    const payload = payloadIn(text);
    if (payload === undefined) {
      throw invalidToken('malformed');
    }
    const [, audience] = payload;
    const keys = audience === expected ? this.keys.get(audience) : undefined;
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

/** @param a an ASCII string of the same length as the other */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** @returns 0 for anything that is not a name */
function hashOfName(name: unknown): string | 0 {
  const text = canonicalName(name);
  return text === undefined ? 0 : hash('sha256', text, 'base64url');
}

function hashOfData(data: unknown): string {
  return hash('sha256', canonicalJson(data), 'base64url');
}

function isOfData(data: unknown, dataHash: string): boolean {
  try {
    return hashOfData(data) === dataHash;
  } catch {
    return false; // JSON cannot transport such data, so it was never signed
  }
}
