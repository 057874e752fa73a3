import type { INestApplication } from '@nestjs/common';
import type { AuthCommandContext } from 'kit-auth';
import { ActiveLogins } from 'kit-auth/extend';

type Context = Pick<AuthCommandContext, 'options' | 'output'>;

/** Says in one line what a command did, or prints it with `--json`. */
export function report({ options, output }: Context, sentence: string, result: object): void {
  if (options['json'] === true) {
    output.json(result);
  } else {
    output.line(sentence);
  }
}

/** Like `report()`, for a command that has ended all sessions of a user. Notes which tokens stay valid. */
export function reportEnds(context: Context, app: INestApplication, sentence: string, result: object): void {
  const remaining = remainingTokens(app.get(ActiveLogins));
  report(context, remaining === undefined ? `${sentence} All their sessions have ended.` : sentence, result);
  if (remaining !== undefined) {
    context.output.note(remaining);
  }
}

/** A note if a command could not end all sessions. Undefined if it could. */
function remainingTokens(logins: ActiveLogins): string | undefined {
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
