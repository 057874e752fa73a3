import { AuthErrorCode, AuthException, IllegalStateException } from 'kit-auth';
import { nearest } from 'kit-auth/cli';
import { describeError } from 'kit-auth/tools';
import { CliError } from './cli.error.js';

/** Describes a failure for the user. Errors whose message says what to do are shown without the name of their class. */
export function reasonOf(error: unknown): string {
  const cause = outageOf(error);
  if (cause !== undefined) {
    return described(cause);
  }
  const isForPeople =
    error instanceof CliError || error instanceof IllegalStateException || error instanceof AuthException;
  return isForPeople ? error.message : described(error);
}

/** Node tries several addresses of a host, and then throws an error without a message. */
function described(error: unknown): string {
  const { message, errors } = Object(error) as { message?: unknown; errors?: unknown };
  return message === '' && Array.isArray(errors)
    ? errors.map(describeError).join(', ')
    : describeError(error);
}

/** The cause of an unavailable dependency. The message of the exception hides it, because clients read it. */
export function outageOf(error: unknown): unknown {
  return error instanceof AuthException && error.code === AuthErrorCode.AUTH_UNAVAILABLE
    ? error.cause
    : undefined;
}

/** A space and a question with the candidate that is most similar to a word. Empty without a similar one. */
export function didYouMean(word: string, candidates: readonly string[], quote = ''): string {
  const found = nearest(
    keyOf(word),
    candidates.map((candidate) => keyOf(candidate)),
  );
  const candidate = candidates.find((name) => keyOf(name) === found);
  return candidate === undefined ? '' : ` Did you mean ${quote}${candidate}${quote}?`;
}

/** The form that `nearest()` expects. */
function keyOf(words: string): string {
  return `_${words.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '_')}`;
}
