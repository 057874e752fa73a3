import { AuthErrorCode, AuthException, IllegalStateException } from 'kit-auth';
import { describeError } from 'kit-auth/extend';

/** Ends a command. The command line prints the message, without a stack. */
export class CliError extends Error {
  override readonly name = 'CliError';

  /** @param exitCode 1: the command failed. 2: it was not used correctly, or there is no application. */
  constructor(
    message: string,
    readonly exitCode: 1 | 2 | 130 = 2,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Why something failed, for people: what to do where the error says it, without the name of its class. */
export function reasonOf(error: unknown): string {
  const cause = outageOf(error);
  if (cause !== undefined) {
    return describeError(cause);
  }
  const isForPeople =
    error instanceof CliError || error instanceof IllegalStateException || error instanceof AuthException;
  return isForPeople ? error.message : describeError(error);
}

/** What made a dependency unavailable. The message of the exception is for clients, who must not learn that. */
export function outageOf(error: unknown): unknown {
  return error instanceof AuthException && error.code === AuthErrorCode.AUTH_UNAVAILABLE
    ? error.cause
    : undefined;
}
