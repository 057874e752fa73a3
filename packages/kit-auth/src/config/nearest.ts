import { editDistance } from '../ports/port.check.js';

/**
 * The environment variable that a name was probably meant to be: the one with the fewest edits after the common first
 * words, if there are few edits. Otherwise one that the name extends, or whose last word the name ends with.
 */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const lastWord = name.slice(name.lastIndexOf('_'));
  const byEdits = candidates
    .map((candidate) => {
      const start = commonStart(name, candidate);
      const rest = candidate.slice(start);
      return { candidate, edits: editDistance(name.slice(start), rest), most: rest.length / 3 };
    })
    .sort((a, b) => a.edits - b.edits);
  const near =
    byEdits.find(({ edits, most }) => edits <= most) ??
    byEdits.find(({ candidate }) => name.startsWith(`${candidate}_`) || candidate.endsWith(lastWord));
  return near?.candidate;
}

/** The length of the common first words. */
function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) {
    length++;
  }
  return a.lastIndexOf('_', length - 1) + 1;
}
