import type { AuthCommandContext } from '../contract/auth-command.js';
import type { ActiveLogins } from '../provider/active.logins.js';

/** Says in one line what a command did, or prints it with `--json`. */
export function report(
  { options, output }: Pick<AuthCommandContext, 'options' | 'output'>,
  sentence: string,
  result: object,
): void {
  if (options['json'] === true) {
    output.json(result);
  } else {
    output.line(sentence);
  }
}

/** What users should know whose sessions a command could not end. Undefined if it ended them. */
export function remainingTokens(logins: ActiveLogins): string | undefined {
  if (!logins.areKnown()) {
    return (
      'Note: there are no sessions to end. Tokens that were issued before stay valid until they expire, unless ' +
      'kit.auth.jwt.checkStamp is on.'
    );
  }
  return logins.areInProcess()
    ? 'Note: the sessions are in the memory of the running application. Restart it to end them.'
    : undefined;
}
