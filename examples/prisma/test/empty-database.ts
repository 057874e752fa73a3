import { readdirSync, readFileSync } from 'node:fs';
import { PrismaPg } from '@prisma/adapter-pg';

const MIGRATIONS = 'prisma/migrations';

/** Creates the tables anew, by running the SQL of all migrations. */
export async function emptyDatabase(): Promise<void> {
  const db = await new PrismaPg(process.env.DATABASE_URL!).connect();
  await db.executeScript('drop schema if exists public cascade');
  const names = readdirSync(MIGRATIONS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of names.sort((a, b) => a.name.localeCompare(b.name))) {
    await db.executeScript(readFileSync(`${MIGRATIONS}/${name}/migration.sql`, 'utf8'));
  }
  await db.dispose();
}
