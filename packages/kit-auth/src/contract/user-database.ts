/**
 * The database of the default user store. Inject it with `@Optional()`: an application with its own user store has none.
 */
export abstract class UserDatabase {
  /**
   * Identifies the database. Stages and applications that share a server, such as Redis, put it into their keys, because
   * each has a user 1.
   *
   * @returns 32 hexadecimal characters, which are written once for each database. Undefined if the data source does not contain
   * the entity `AuthDatabase`
   * @throws IllegalStateException when the tables cannot be read or written
   */
  abstract realm(): Promise<string | undefined>;
}
