/**
 * The environment variable that a name was probably meant to be: the one that takes the fewest edits after the words
 * that both begin with, if they are few; else one that the name extends, or whose last word the name ends with.
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

/** Length of the whole words that both begin with. */
function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) {
    length++;
  }
  return a.lastIndexOf('_', length - 1) + 1;
}

/** How many characters to insert, delete or replace, or neighbors to swap (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const [left, above, corner] = [next[j], row[j + 1], row[j]] as [number, number, number];
      const isSwapped = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const swapped = isSwapped ? (before[j - 1] as number) + 1 : Infinity;
      next.push(Math.min(left + 1, above + 1, corner + (a[i] === b[j] ? 0 : 1), swapped));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) as number;
}
