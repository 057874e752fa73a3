import { AuthErrorCode } from 'kit-auth';
import { de, en } from 'kit-auth-languages';

/** Reasons of login steps that specs and recipes have. */
const OWN = /^(40000\.captcha|40300\.(terms|user-\d+))$/;

interface Body {
  readonly code?: unknown;
  readonly reason?: unknown;
  /** Of GraphQL. */
  readonly errors?: readonly { readonly extensions?: { readonly originalError?: unknown } }[];
}

/**
 * Each error that an application under test answers has a sentence for people, in both catalogs of the project.
 *
 * @param json a body, or a message of a socket
 * @throws Error for a code with a reason that no package declares, or without a sentence
 */
export function requireSentence(json: unknown): void {
  const { code, reason, errors } = (json ?? {}) as Body;
  if (typeof code === 'number' && code in AuthErrorCode) {
    const key = typeof reason === 'string' ? `${code}.${reason}` : String(code);
    if (![de, en].every((catalog) => Object.hasOwn(catalog, key)) && !OWN.test(key)) {
      throw new Error(
        `An answer has the error ${key}. Pass the reason to declareReasons() in the module of its package, and add a ` +
          'sentence to the catalogs of kit-auth-languages.',
      );
    }
  }
  if (Array.isArray(errors)) {
    errors.forEach((error: NonNullable<Body['errors']>[number] | null) =>
      requireSentence(error?.extensions?.originalError),
    );
  }
}
