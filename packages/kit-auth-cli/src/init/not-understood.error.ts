/** A file of the application that `init` does not change, because it may not mean what it seems to mean. */
export class NotUnderstood extends Error {
  override readonly name = 'NotUnderstood';

  /** @param message a sentence that names the file and the reason */
  constructor(
    message: string,
    /** Absolute. */
    readonly file?: string,
  ) {
    super(message);
  }
}
