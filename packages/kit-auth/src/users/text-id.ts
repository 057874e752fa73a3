const TEXT_ID = /^[!-~]{1,128}$/;

/** Whether a text can be the id of a user: 1 to 128 characters of printable ASCII, without spaces. */
export function isTextId(text: string): boolean {
  return TEXT_ID.test(text);
}
