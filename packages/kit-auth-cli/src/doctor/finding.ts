import type { DoctorFinding } from 'kit-auth/extend';

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

/** Sentences behind the first one say what to do. They begin with a capital letter; `kit-auth looked for` does not. */
const CURE_OF_MESSAGE = /(?<=[.?])\s+(?=[A-Z])/;

/** A message of start-up as a problem and its cure. The cure may be empty. */
export function textAndCureOf(message: string): [text: string, cure: string] {
  const [text = '', ...cure] = message.split(CURE_OF_MESSAGE);
  return [text, cure.join(' ')];
}
