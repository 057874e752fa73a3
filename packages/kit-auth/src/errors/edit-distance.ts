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
