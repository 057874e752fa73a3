import { isIP } from 'node:net';

const MAX_LABELS = 5;
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)+${LABEL}$`);
/** The SHA-256 hash of the certificate that signs an Android app. */
const ANDROID = /^android:apk-key-hash:[\w-]{43}$/;
/** Second levels below which countries register domains, such as `example.co.uk`. */
const SECOND_LEVELS = new Set(['ac', 'co', 'com', 'edu', 'gov', 'net', 'or', 'org']);

/** The rest of a message about `rpId`. Undefined for a valid one. */
export function rpIdProblem(rpId: string): string | undefined {
  if (rpId === 'localhost') {
    return process.env['NODE_ENV'] === 'production'
      ? 'must be the domain of your site in production, such as example.com'
      : undefined;
  }
  return isDomain(rpId)
    ? undefined
    : 'must be a domain in lower case, such as example.com: without scheme, port and path, and no IP address';
}

/** The rest of a message about `origins`, for any `rpId`. */
export function originsProblem(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) {
    return 'must be a list of origins, such as https://example.com';
  }
  const wrong = value.findIndex((origin) => !isOrigin(origin));
  return wrong === -1
    ? undefined
    : 'must be exact origins, such as https://example.com or https://example.com:8443 without a path, http for localhost ' +
        `only, or android:apk-key-hash:… for an app: number ${wrong + 1} is not`;
}

/** The rest of a message about origins that do not belong to `rpId`. */
export function foreignOriginsProblem(
  rpId: string,
  origins: readonly string[],
  related: boolean,
): string | undefined {
  const foreign = foreignOriginsOf(rpId, origins);
  if (!related && foreign.length > 0) {
    const number = origins.indexOf(foreign[0] ?? '') + 1;
    return (
      `must have hosts that are ${rpId} or end with .${rpId}: number ${number} does not. Browsers refuse passkeys of ` +
      `${rpId} there. For other domains of yours, set kit.auth.passkeys.related`
    );
  }
  return new Set(foreign.map(labelOf)).size > MAX_LABELS
    ? `must have at most ${MAX_LABELS} other domains: browsers ignore the rest`
    : undefined;
}

/** The origins of pages on other domains than `rpId`. */
export function foreignOriginsOf(rpId: string, origins: readonly string[]): string[] {
  return origins.filter((origin) => {
    const host = ANDROID.test(origin) ? rpId : new URL(origin).hostname;
    return host !== rpId && !host.endsWith(`.${rpId}`);
  });
}

function isOrigin(origin: unknown): boolean {
  if (typeof origin !== 'string' || !URL.canParse(origin)) {
    return typeof origin === 'string' && ANDROID.test(origin);
  }
  if (ANDROID.test(origin)) {
    return true;
  }
  const { origin: exact, protocol, hostname } = new URL(origin);
  const isSecure = protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost');
  return exact === origin && isSecure && (hostname === 'localhost' || isDomain(hostname));
}

function isDomain(host: string): boolean {
  return DOMAIN.test(host) && isIP(host) === 0 && host.length <= 253;
}

/** The label that browsers count: `example` of `https://www.example.com` and of `https://example.co.uk`. */
function labelOf(origin: string): string {
  const labels = new URL(origin).hostname.split('.').slice(0, -1);
  const last = labels.pop() ?? '';
  return SECOND_LEVELS.has(last) ? (labels.pop() ?? last) : last;
}
