/** The application is put together or configured wrongly: `app.init()` and `app.listen()` reject with it. */
export class IllegalStateException extends Error {
  override readonly name = 'IllegalStateException';
}
