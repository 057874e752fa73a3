import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import type { AuthCommandOption } from 'kit-auth';
import type { CliContext } from './cli-command.js';
import { CliError } from './cli.error.js';

/** Longer than any token that Node accepts in a header. */
const MAX_BYTES = 16_384;

/** The option of commands that need a new password. */
export const PASSWORD_STDIN: Readonly<Record<'password-stdin', AuthCommandOption>> = {
  'password-stdin': { type: 'boolean', description: 'read the password from standard input: one line' },
};

type Source = Pick<CliContext, 'options' | 'stderr'> & { readonly stdin: Terminal };
type Terminal = Readable & { isTTY?: boolean };

/**
 * Asks for a new password twice, without an echo, or reads it with `--password-stdin`.
 *
 * @throws CliError without a terminal, for two different passwords, and with the exit code 130 after Ctrl-C
 */
export async function newPassword({ options, stdin, stderr }: Source): Promise<string> {
  if (options['password-stdin'] === true) {
    return onlyLineOf(stdin, 'password');
  }
  if (stdin.isTTY !== true) {
    throw new CliError(
      'There is no terminal to ask for the password. Pass it on standard input, with --password-stdin.',
    );
  }
  const questions = ['New password: ', 'Repeat the password: '];
  const [password, again] = await ask(questions, { stdin, stderr, isHidden: true });
  if (password !== again) {
    throw new CliError('The two passwords are different. Nothing was changed.', 1);
  }
  return required(password ?? '', 'password');
}

/**
 * Reads the only line of standard input.
 *
 * @param what for messages; `--<what>-stdin` is the option
 * @throws CliError for a terminal, for several lines, and for none
 */
export async function onlyLineOf(stdin: Terminal, what: string): Promise<string> {
  if (stdin.isTTY === true) {
    throw new CliError(`Standard input is the terminal, which shows what you type. Omit --${what}-stdin.`);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) {
      throw new CliError(
        `Standard input has more than ${MAX_BYTES} bytes. Pass the ${what}, and nothing else.`,
      );
    }
    chunks.push(chunk);
  }
  const line = decoded(Buffer.concat(chunks)).replace(/\r?\n$/, '');
  if (/[\r\n]/.test(line)) {
    throw new CliError(`Standard input has more than one line. Pass the ${what}, and nothing else.`);
  }
  return required(line, what);
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CliError('Standard input is not UTF-8.');
  }
}

function required(text: string, what: string): string {
  if (text === '') {
    throw new CliError(`The ${what} is empty. Nothing was changed.`, 1);
  }
  return text;
}

interface Asking {
  readonly stdin: Terminal;
  readonly stderr: Writable;
  /** The terminal does not show the answers. */
  readonly isHidden: boolean;
}

/**
 * Asks questions in a terminal. Afterwards, the terminal is in its former state.
 *
 * @throws CliError 130 after Ctrl-C; 1 after Ctrl-D, or when the terminal is gone
 */
export async function ask(
  questions: readonly string[],
  { stdin, stderr, isHidden }: Asking,
): Promise<string[]> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  // It turns the echo of the terminal off, and on again when it is closed.
  const output = isHidden ? nowhere : stderr;
  const lines = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
  const cancelled = new AbortController();
  lines.once('SIGINT', () => {
    cancelled.abort();
    lines.close();
  });
  const answers: string[] = [];
  try {
    const typed = lines[Symbol.asyncIterator]();
    for (const question of questions) {
      if (isHidden) {
        stderr.write(question);
      } else {
        lines.setPrompt(question);
        lines.prompt();
      }
      const { done, value } = (await typed.next()) as IteratorResult<string, undefined>;
      if (isHidden || done === true) {
        stderr.write('\n');
      }
      if (done === true || cancelled.signal.aborted) {
        throw new CliError('Cancelled. Nothing was changed.', cancelled.signal.aborted ? 130 : 1);
      }
      answers.push(value);
    }
    return answers;
  } finally {
    lines.close();
  }
}
