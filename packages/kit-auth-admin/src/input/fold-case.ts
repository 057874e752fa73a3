/**
 * A text without what differs between upper case, lower case and mixed case, in any language, so that two texts can be
 * compared. `ß` is `ss`, `ς` is `σ`, and the Turkish `İ` and `ı` are `i`. Accents count. Whether they are composed (NFC) or
 * combining characters (NFD) does not.
 */
export function foldCase(text: string): string {
  return (
    text
      .normalize('NFD')
      // Lower case first, because `ẞ` is upper case already. Upper case joins what has several lower cases.
      .toLowerCase()
      .toUpperCase()
      .replace(/I\p{M}+/gu, (letter) => letter.replaceAll('\u0307', ''))
      .normalize('NFC')
  );
}
