import type { DataSource } from 'typeorm';
import { IllegalStateException } from '../../errors/auth.exception.js';

/**
 * With other client character sets, such as `gbk`, a backslash can be the second byte of a character. MySQL and MariaDB
 * call utf8mb3 `utf8` in older versions.
 */
const SAFE_CHARACTER_SETS: ReadonlySet<string> = new Set(['utf8mb4', 'utf8mb3', 'utf8', 'latin1']);

const SESSION = 'SELECT @@SESSION.sql_mode AS modes, @@SESSION.character_set_client AS characterSet';

interface Session {
  readonly modes: string;
  readonly characterSet: string;
}

/** A connection of `mysql2`, and of its predecessor `mysql`. */
interface Connection {
  query(statement: string, done: (error: Error | null, rows: Session[]) => void): void;
  destroy(): void;
}

/** TypeORM gets every connection to MySQL and MariaDB by these methods. */
interface Driver {
  obtainMasterConnection(): Promise<Connection>;
  obtainSlaveConnection(): Promise<Connection>;
}

const guarded = new WeakSet<DataSource>();

/**
 * Makes a data source refuse connections to MySQL and MariaDB on which the text of a user could become SQL: `mysql2`
 * writes values into the statement, and escapes quotes with backslashes. A connection is checked once, before its first
 * statement. Other databases get values apart from the statement.
 */
export function refuseUnsafeConnections(dataSource: DataSource): void {
  if (!isMySql(dataSource) || guarded.has(dataSource)) {
    return;
  }
  guarded.add(dataSource);
  const driver = dataSource.driver as unknown as Driver;
  const { extra } = dataSource.options as { extra?: { resetOnRelease?: unknown } | null };
  const safe = new WeakSet<Connection>();
  for (const name of ['obtainMasterConnection', 'obtainSlaveConnection'] as const) {
    const obtain = driver[name].bind(driver);
    driver[name] = async () => {
      const connection = await obtain();
      if (!safe.has(connection)) {
        await requireSafe(connection);
        // A reset gives the session the current mode of the server.
        if (!extra?.resetOnRelease) {
          safe.add(connection);
        }
      }
      return connection;
    };
  }
}

/**
 * Gets a connection to each server of a data source for MySQL or MariaDB. Costs nothing for other databases.
 *
 * @throws IllegalStateException if a connection is unsafe. Not if a server cannot be reached: its users report that
 */
export async function assertSafeConnections(dataSource: DataSource): Promise<void> {
  if (!isMySql(dataSource)) {
    return;
  }
  refuseUnsafeConnections(dataSource);
  const { replication } = dataSource.options as { replication?: { slaves?: readonly unknown[] } };
  const replicas = replication?.slaves?.map(() => 'slave' as const) ?? [];
  for (const mode of ['master' as const, ...replicas]) {
    const queryRunner = dataSource.createQueryRunner(mode);
    try {
      await queryRunner.connect();
    } catch (error) {
      if (error instanceof IllegalStateException) {
        throw error;
      }
    } finally {
      await queryRunner.release();
    }
  }
}

/** Not Aurora's Data API (`aurora-mysql`), which gets values apart from the statement. */
function isMySql({ options }: DataSource): boolean {
  return options.type === 'mysql' || options.type === 'mariadb';
}

/** Closes an unsafe connection: the next one may be safe, once the server is. */
async function requireSafe(connection: Connection): Promise<void> {
  try {
    const danger = dangerOf(await sessionOf(connection));
    if (danger !== undefined) {
      throw new IllegalStateException(danger);
    }
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

function sessionOf(connection: Connection): Promise<Session> {
  return new Promise((resolve, reject) => {
    connection.query(SESSION, (error, rows) => {
      const [session] = error === null ? rows : [];
      if (session === undefined) {
        reject(error ?? new Error('the database does not say what its sql_mode is'));
      } else {
        resolve(session);
      }
    });
  });
}

/** The problem of a session, and its cure. */
function dangerOf({ modes, characterSet }: Session): string | undefined {
  if (modes.split(',').includes('NO_BACKSLASH_ESCAPES')) {
    return (
      'The database is open to SQL injection: sessions have the sql_mode NO_BACKSLASH_ESCAPES, but the driver escapes ' +
      'quotes with backslashes. Remove it where it is set: in the configuration of the server, with SET GLOBAL sql_mode, ' +
      'in init_connect, or in the code of the application. New connections then have the new mode.'
    );
  }
  return SAFE_CHARACTER_SETS.has(characterSet)
    ? undefined
    : `The database is open to SQL injection: sessions have character_set_client = ${characterSet}, in which the ` +
        'backslashes of the driver may become parts of characters. Set the option charset of TypeOrmModule to ' +
        "'utf8mb4', and remove SET NAMES from init_connect and from the code of the application.";
}
