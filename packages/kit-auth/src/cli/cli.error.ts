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
