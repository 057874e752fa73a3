import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';

/** Brings the database of the tests up to date, and empties its tables. */
export async function emptyDatabase(): Promise<void> {
  const db = drizzle(process.env.DATABASE_URL!);
  await migrate(db, { migrationsFolder: 'drizzle' });
  await db.execute(sql`truncate users, user_roles, articles, audit_log`);
  await db.$client.end();
}
