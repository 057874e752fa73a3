import type { INestApplication } from '@nestjs/common';
import type { AuthCommandContext } from 'kit-auth';
import { ActiveLogins } from 'kit-auth/login';

type Context = Pick<AuthCommandContext, 'options' | 'output'>;

/** Prints the result of a command: as sentences, or as JSON with `--json`. */
export function report(
  { options, output }: Context,
  sentences: string | readonly string[],
  result: object,
): void {
  if (options['json'] === true) {
    output.json(result);
  } else {
    [sentences].flat().forEach((sentence) => output.line(sentence));
  }
}

/** Prints a list: as a table, or as JSON with `--json`. @param columns by their headings */
export function reportList<T>(
  { options, output }: Context,
  items: readonly T[],
  columns: Readonly<Record<string, (item: T) => string>>,
): void {
  if (options['json'] === true) {
    output.json(items);
  } else {
    const cells = Object.values(columns);
    output.table(
      Object.keys(columns),
      items.map((item) => cells.map((cell) => cell(item))),
    );
  }
}

/** Reports that all sessions of a user have ended. Adds a note if tokens stay valid. */
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
