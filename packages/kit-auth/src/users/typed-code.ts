/** More than any code with its separators has. Normalizing a long text takes long. */
const MAX_LENGTH = 128;
/** Spaces, hyphens, dashes and invisible characters. U+30FC is on the key of the hyphen of Japanese keyboards. */
const LEFT_OUT = /[\p{White_Space}\p{Dash}\p{Cf}\u30fc]/gu;

/**
 * Reads a code that a user has typed or copied: without spaces, hyphens and invisible characters, with ASCII digits for
 * those of any script, and with capital letters. Check the form of the result.
 *
 * @example readTypedCode('287 082'); // '287082'
 * @returns an empty string for a text of more than 128 characters
 */
export function readTypedCode(text: string): string {
  if (text.length > MAX_LENGTH) {
    return '';
  }
  return text
    .normalize('NFKC')
    .replace(LEFT_OUT, '')
    .replace(/\p{Nd}/gu, asciiDigit)
    .replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

/** The digits of a script are ten in a row, and some rows follow each other. So the digits before one tell its value. */
function asciiDigit(digit: string): string {
  const point = digit.codePointAt(0) as number;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(point - before - 1))) {
    before++;
  }
  return String(before % 10);
}
