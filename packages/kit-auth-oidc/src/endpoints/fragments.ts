import type { AuthException } from 'kit-auth';

/** What a page may need of a refusal, besides its code and reason. */
const DETAILS = ['challenge', 'factors', 'expiresAt'] as const;

/** A refusal, for the fragment of a URL. */
export function fragmentOf(error: AuthException, provider: string): Record<string, string> {
  const body = error.getResponse() as Partial<Record<string, unknown>>;
  const details = DETAILS.flatMap((name): [string, string][] => {
    const value = body[name] as string | number | readonly string[] | undefined;
    return value === undefined ? [] : [[name, String(value)]];
  });
  return {
    'kit-auth': String(error.code),
    ...(error.reason !== undefined && { reason: error.reason }),
    provider,
    ...Object.fromEntries(details),
  };
}
