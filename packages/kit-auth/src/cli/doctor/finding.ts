/** What a check has found. */
export interface Finding {
  /** A `problem` fails the command. A `warning` may be intended, or rests on an assumption. */
  readonly level: 'problem' | 'warning';
  /** What is wrong, with the full key of an option. One or two sentences. */
  readonly problem: string;
  /** What to do, with the command or the option. */
  readonly cure: string;
}

/** Nothing was found. */
export interface Passed {
  /** What that takes for granted. */
  readonly note: string;
}

export function problem(text: string, cure: string): Finding {
  return { level: 'problem', problem: text, cure };
}

export function warning(text: string, cure: string): Finding {
  return { level: 'warning', problem: text, cure };
}
