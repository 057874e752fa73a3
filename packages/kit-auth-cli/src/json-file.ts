/**
 * Parses the text of a JSON file, which may begin with a byte order mark.
 *
 * @throws SyntaxError
 */
export function parseJsonFile(text: string): unknown {
  return JSON.parse(text.replace(/^\ufeff/, ''));
}
