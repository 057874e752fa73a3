import { Readable, Writable } from 'node:stream';
import { runCli } from '../../packages/kit-auth-cli/src/run.js';

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `kit-auth` in this process. @param input what standard input contains */
export async function kitAuth(
  argv: string[],
  {
    cwd = process.cwd(),
    env = {},
    input = '',
  }: { cwd?: string; env?: Record<string, string>; input?: string } = {},
): Promise<CliResult> {
  const [stdout, stderr] = [new Collected(), new Collected()];
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)]);
  const code = await runCli({ argv, cwd, env, stdin, stdout, stderr });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

class Collected extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
