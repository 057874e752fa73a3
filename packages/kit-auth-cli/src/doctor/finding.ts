/** A finding of a check. */
export interface Finding {
  /** A `problem` fails the command. A `warning` may be intended, or rests on an assumption. */
  readonly level: 'problem' | 'warning';
  /** The problem, with the full key of an option. One or two sentences. */
  readonly problem: string;
  /** The cure, with the command or the option. */
  readonly cure: string;
}

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

/** Sentences behind the first one say what to do. They begin with a capital letter; `kit-auth looked for` does not. */
const CURE_OF_MESSAGE = /(?<=[.?])\s+(?=[A-Z])/;

/** A message of start-up as a problem and its cure. The cure may be empty. */
export function textAndCureOf(message: string): [text: string, cure: string] {
  const [text = '', ...cure] = message.split(CURE_OF_MESSAGE);
  return [text, cure.join(' ')];
}
