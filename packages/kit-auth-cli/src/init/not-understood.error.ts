/**
 * A file of the application that `init` does not change, because it may not mean what it seems to mean. The message names
 * the file and the reason.
 */
export class NotUnderstood extends Error {
  override readonly name = 'NotUnderstood';
}
