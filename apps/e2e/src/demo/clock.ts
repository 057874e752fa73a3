import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kill } from 'node:process';
import { type Demo, directory, startDemo } from './process.js';

/** Runs in the demo before all else. Its clock goes eleven minutes forward with every SIGWINCH, which Nest leaves alone. */
const PRELOADED = `
const RealDate = Date;
let offset = 0;
globalThis.Date = class extends RealDate {
  constructor(...parts) {
    parts.length === 0 ? super(RealDate.now() + offset) : super(...parts);
  }
  static now() {
    return RealDate.now() + offset;
  }
};
process.on('SIGWINCH', () => {
  offset += 11 * 60_000;
  console.log('it is later: ' + offset);
});
`;

export interface TimedDemo extends Demo {
  /** Lets eleven minutes pass, more than an access token lives and than a login counts as fresh. */
  later: () => Promise<void>;
  /** The time of the demo, in milliseconds since 1970. */
  now: () => number;
}

/** The demo with a clock that the test sets, for all tests of the file. */
export async function startTimedDemo(environment: Record<string, string> = {}): Promise<TimedDemo> {
  const preload = join(directory, 'clock.cjs');
  writeFileSync(preload, PRELOADED);
  const demo = await startDemo({ ...environment, NODE_OPTIONS: `--require=${preload}` }, true);
  return { ...demo, later: () => later(demo), now: () => Date.now() + offsetOf(demo) };
}

function offsetOf({ output }: Demo): number {
  const [, offset = '0'] = /it is later: (\d+)\s*(?![^]*it is later)/.exec(output()) ?? [];
  return Number(offset);
}

async function later({ process, output }: Demo): Promise<void> {
  const before = output().length;
  // The demo provider, which has the same clock.
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim();
  children.split(' ').forEach((child) => kill(Number(child), 'SIGWINCH'));
  process.kill('SIGWINCH');
  await new Promise<void>((resolve) => {
    const listen = () => {
      if (output().slice(before).includes('it is later')) {
        process.stdout!.off('data', listen);
        resolve();
      }
    };
    process.stdout!.on('data', listen);
  });
}
