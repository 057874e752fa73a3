import type { AuthCommandOutput } from 'kit-auth';
import type { DoctorFinding } from 'kit-auth/feature';
import { withoutHooks } from '../application/own-hooks.js';
import { reasonOf } from '../reason.js';

export type Finding = DoctorFinding;

/** The check found nothing. */
export interface Passed {
  /** The assumption of the check. */
  readonly note: string;
}

export function problem(text: string, cure: string): Finding {
  return { level: 'problem', problem: text, cure };
}

export function warning(text: string, cure: string): Finding {
  return { level: 'warning', problem: text, cure };
}

/** The sentences after the first one are the cure. They begin with a capital letter; `kit-auth looked for` does not. */
const CURE_OF_MESSAGE = /(?<=[.?])\s+(?=[A-Z])/;

/** A message of start-up as a problem and its cure. The cure may be empty. */
export function textAndCureOf(message: string): [text: string, cure: string] {
  const [text = '', ...cure] = message.split(CURE_OF_MESSAGE);
  return [text, cure.join(' ')];
}

export type CheckStatus = 'ok' | 'warning' | 'problem' | 'skipped';

/** The result of one check. */
export interface CheckResult {
  readonly name: string;
  readonly status: CheckStatus;
  readonly findings: readonly Finding[];
  /** The assumption of the check, or why it was skipped. */
  readonly note?: string;
}

type Outcome = readonly Finding[] | Passed;
type Check = () => Outcome | Promise<Outcome>;

/** Collects findings of checks. A check that throws counts as a problem, and the other checks still run. */
export class Diagnosis {
  private readonly results: CheckResult[] = [];

  /** @param onError called with the errors behind findings, for their stacks */
  constructor(readonly onError: (error: unknown) => void = () => undefined) {}

  /** @param hooksLeft if there are any, a check that throws is skipped: it may need what they prepare */
  async check(name: string, run: Check, hooksLeft: readonly string[] = []): Promise<readonly Finding[]> {
    const outcome = await this.outcomeOf(name, run, hooksLeft);
    if (outcome === undefined) {
      return [];
    }
    const { findings, ...rest } = 'note' in outcome ? { findings: [], ...outcome } : { findings: outcome };
    const status = findings.some(({ level }) => level === 'problem')
      ? 'problem'
      : findings.length > 0
        ? 'warning'
        : 'ok';
    this.results.push({ name, status, findings, ...rest });
    return findings;
  }

  skip(name: string, note: string): void {
    this.results.push({ name, status: 'skipped', findings: [], note });
  }

  get hasProblem(): boolean {
    return this.results.some(({ status }) => status === 'problem');
  }

  printJson(output: AuthCommandOutput): void {
    output.json({ ok: !this.hasProblem, checks: this.results });
  }

  print(output: AuthCommandOutput): void {
    for (const { name, status, findings, note } of this.results) {
      if (findings.length === 0) {
        output.line(`${status.padEnd(7)}  ${name}${note === undefined ? '' : ` (${note})`}`);
      }
      for (const { level, problem: text, cure } of findings) {
        output.line(`${level.padEnd(7)}  ${name}: ${text}`);
        output.line(`${' '.repeat(9)}-> ${cure}`);
      }
    }
    const count = (level: Finding['level']) =>
      this.results.flatMap(({ findings }) => findings).filter((one) => one.level === level).length;
    output.line();
    output.line(`${plural(count('problem'), 'problem')}, ${plural(count('warning'), 'warning')}`);
  }

  /** @returns undefined for a check that was skipped */
  private async outcomeOf(
    name: string,
    run: Check,
    hooksLeft: readonly string[],
  ): Promise<Outcome | undefined> {
    try {
      return await run();
    } catch (error) {
      this.onError(error);
      if (hooksLeft.length > 0) {
        this.skip(name, `${reasonOf(error)}; ${withoutHooks('doctor', hooksLeft)}`);
        return undefined;
      }
      return [
        problem(
          `The check ${name} could not be finished: ${reasonOf(error)}`,
          'Run `npx kit-auth doctor --verbose`, and report the problem if the message does not help.',
        ),
      ];
    }
  }
}

function plural(count: number, word: string): string {
  return `${count === 0 ? 'no' : count} ${word}${count === 1 ? '' : 's'}`;
}
