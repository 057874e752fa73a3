const CONTEXT = 3;

type Line = readonly [mark: ' ' | '-' | '+', text: string];

/** The differences of two texts by lines, in the unified format of `diff -u`. */
export function unifiedDiff(shown: string, before: string, after: string): string {
  const lines = compare(linesOf(before), linesOf(after));
  const shownLines = lines.map((_, i) =>
    lines.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some(([mark]) => mark !== ' '),
  );
  const output = [`--- ${shown}`, `+++ ${shown}`];
  let [old, current] = [1, 1];
  lines.forEach(([mark, text], i) => {
    if (shownLines[i] === true) {
      if (shownLines[i - 1] !== true) {
        const end = shownLines.indexOf(false, i);
        const hunk = lines.slice(i, end === -1 ? undefined : end);
        const count = (without: string) => hunk.filter(([one]) => one !== without).length;
        output.push(`@@ -${old},${count('+')} +${current},${count('-')} @@`);
      }
      output.push(`${mark}${text}`);
    }
    old += mark === '+' ? 0 : 1;
    current += mark === '-' ? 0 : 1;
  });
  return output.join('\n');
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/);
}

/** The longest common subsequence of what is between the equal beginnings and ends. */
function compare(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0;
  while (start < before.length && before[start] === after[start]) {
    start++;
  }
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) {
    end++;
  }
  const [a, b] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const same = (text: string): Line => [' ', text];
  return [
    ...before.slice(0, start).map(same),
    ...between(a, b),
    ...before.slice(before.length - end).map(same),
  ];
}

function between(a: readonly string[], b: readonly string[]): Line[] {
  // lengths[i][j]: of the longest common subsequence of the lines from i and from j on.
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      (lengths[i] as number[])[j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push([' ', a[i++] as string]);
      j++;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(['-', a[i++] as string]);
    } else {
      lines.push(['+', b[j++] as string]);
    }
  }
  return lines;
}
