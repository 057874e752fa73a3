import { Writable } from 'node:stream';
import { describeError } from 'kit-auth/tools';

export interface OwnOutput {
  /** Standard output, for the results of the command only. */
  readonly stdout: Writable;
  /** Ends the process. */
  readonly done: (code: number) => void;
}

/**
 * Keeps the output of the application out of the results. It runs in this process: SQL that TypeORM logs would break
 * `--json`, and contains hashes. `--verbose` prints the output on standard error. A note says if the application failed in
 * the background or called `process.exit()`.
 */
export function ownOutput(process: NodeJS.Process, isVerbose: boolean): OwnOutput {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout) as (chunk: Buffer, done: (error?: Error | null) => void) => boolean;
  const theirs = new Writable({
    write(chunk: Buffer, _encoding, written) {
      if (isVerbose) {
        stderr.write(chunk, written);
      } else {
        written();
      }
    },
  });
  stdout.write = theirs.write.bind(theirs);
  const note = (text: string) => stderr.write(`kit-auth: ${text}\n`);
  const rejected = new Map<Promise<unknown>, unknown>();
  const report = (error: unknown) => {
    note(`The application failed in the background: ${describeError(error)}`);
    if (isVerbose && error instanceof Error) {
      stderr.write(`${error.stack ?? ''}\n`);
    }
  };
  let isDone = false;
  const done = (code: number) => {
    isDone = true;
    rejected.forEach(report);
    process.exit(code);
  };
  process.on('exit', (code) => {
    if (!isDone) {
      process.exitCode = code === 0 ? 1 : code;
      note(
        'The application called process.exit() before the command finished. --verbose shows what it prints.',
      );
    }
  });
  process.on('uncaughtException', (error) => {
    report(error);
    done(1);
  });
  // Nest awaits some promises of modules late, and the command may not need their results.
  process.on('unhandledRejection', (error, promise) => rejected.set(promise, error));
  process.on('rejectionHandled', (promise) => rejected.delete(promise));
  const results = new Writable({ write: (chunk: Buffer, _, written) => void write(chunk, written) });
  stdout.on('error', () => undefined); // `results` has it.
  results.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // The reader of a pipe, for example `head`, may end before the output.
    if (code === 'EPIPE') {
      return done(0);
    }
    note(`The output cannot be written: ${message}`);
    done(1);
  });
  return { stdout: results, done };
}
