import { readdirSync, readFileSync } from 'node:fs';

const TICK_NANOSECONDS = 10_000_000n;

/**
 * What a process has used so far, over all of its threads, in nanoseconds: from `schedstat` of Linux, because the usual
 * tick of 10 ms is too coarse for what is measured.
 */
export function cpuTimeOf(pid: number): bigint {
  let used = 0n;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    used += BigInt(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0] ?? '0');
  }
  return used;
}

/** What the calling thread has used so far, in nanoseconds: without the compilers and collectors of V8, which have others. */
export function cpuTimeOfThread(): number {
  process.cpuUsage(); // Linux updates the file then, and otherwise only with each tick.
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]);
}

/** How long a core was busy so far, whoever had it, in nanoseconds; another machine on the same one included. */
export function busyTimeOf(core: number): bigint {
  const line = readFileSync('/proc/stat', 'utf8').split('\n')[core + 1] ?? '';
  const [, user = 0, nice = 0, system = 0, , , , , steal = 0] = line.split(/\s+/).map(Number);
  return BigInt(user + nice + system + steal) * TICK_NANOSECONDS;
}

/** Resident memory in megabytes. */
export function memoryOf(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return (pages * 4096) / 1e6;
}
