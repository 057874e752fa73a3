/** An answer of Express or Fastify. */
export interface PlatformAnswer {
  header(name: string, value: string): unknown;
  send(body: string): unknown;
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'publickey-credentials-get=(self), publickey-credentials-create=(self)',
  'Cache-Control': 'no-store',
} as const;

/** Sets them in the handler, so that they replace headers of a middleware of the application, like helmet. */
export function secure(answer: PlatformAnswer): void {
  for (const [name, value] of Object.entries(HEADERS)) {
    answer.header(name, value);
  }
}

/** The name of a file contains a hash of all files. */
export const FOREVER = 'public, max-age=31536000, immutable';
