import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kill } from 'node:process';
import { beforeAll } from '@jest/globals';
import { until } from 'test-support';
import type { DEMOS } from './page.js';
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

/** The demo with a clock that the test sets. */
export class TimedDemo {
  private demo!: Demo;

  /** Runs for all tests of the file, in memory. */
  async start(environment: Record<string, string> = {}): Promise<this> {
    const preload = join(directory, 'clock.cjs');
    writeFileSync(preload, PRELOADED);
    const own = { DATABASE_URL: 'sqlite::memory:', NODE_OPTIONS: `--require=${preload}` };
    this.demo = await startDemo({ ...own, ...environment }, true);
    return this;
  }

  get port(): number {
    return this.demo.port;
  }

  /** Where browsers find it. */
  get url(): string {
    return `http://localhost:${this.port}/`;
  }

  get process(): Demo['process'] {
    return this.demo.process;
  }

  output(): string {
    return this.demo.output();
  }

  /** The time of the demo, in milliseconds since 1970. */
  now(): number {
    const [, offset = '0'] = /it is later: (\d+)\s*(?![^]*it is later)/.exec(this.output()) ?? [];
    return Date.now() + Number(offset);
  }

  /** Lets eleven minutes pass, more than an access token lives and than a login counts as fresh. */
  async later(): Promise<void> {
    const { process } = this;
    const before = this.output().length;
    // The demo provider, which has the same clock.
    const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim();
    children.split(' ').forEach((child) => kill(Number(child), 'SIGWINCH'));
    process.kill('SIGWINCH');
    await until(() => (this.output().slice(before).includes('it is later') ? true : undefined));
  }
}

/**
 * For the body of a `describe`.
 *
 * @param environment besides the variables of the place, known when the tests begin
 */
export function sharedDemo(
  place?: (typeof DEMOS)[number],
  environment: () => Record<string, string> = () => ({}),
): TimedDemo {
  const demo = new TimedDemo();
  beforeAll(async () => {
    const ofPlace = place && { KIT_DEMO_PLATFORM: place.platform, KIT_DEMO_PROVIDER: place.provider };
    await demo.start({ ...ofPlace, ...environment() });
  });
  return demo;
}
