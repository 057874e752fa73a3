// `init` runs without kit-auth, so this file imports nothing.

/** Ends a command. The command line prints the message, without a stack. */
export class CliError extends Error {
  override readonly name = 'CliError';

  /**
   * @param exitCode 1: the command failed. 2: it was not used correctly, or there is no application. 3: `init` did not
   * understand a file. 130: cancelled
   */
  constructor(
    message: string,
    readonly exitCode: 1 | 2 | 3 | 130 = 2,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * `init` leaves a file of the application unchanged, because its meaning is not certain. The message names the file and
 * the reason.
 */
export class NotUnderstood extends Error {
  override readonly name = 'NotUnderstood';
}
