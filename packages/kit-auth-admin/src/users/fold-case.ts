/**
 * Folds the case of a string in any language, to compare it with another folded string. `ß` becomes `SS`, `ς` becomes
 * `Σ`, and the Turkish `İ` and `ı` become `I`. Accents are kept. Composed (NFC) and decomposed (NFD) characters become
 * equal.
 */
export function foldCase(text: string): string {
  return (
    text
      .normalize('NFD')
      // To lower case first, because toUpperCase() leaves `ẞ`. Then to upper case, which joins several lower cases.
      .toLowerCase()
      .toUpperCase()
      .replace(/I\p{M}+/gu, (letter) => letter.replaceAll('\u0307', ''))
      .normalize('NFC')
  );
}
