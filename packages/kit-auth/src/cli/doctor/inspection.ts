import type { DataSourceInspection } from '../../users/typeorm/data-source.inspection.js';
import type { Installation } from './installation.js';

/**
 * Keeps the data sources that connect from now on from changing their databases.
 *
 * @returns undefined in applications without TypeORM
 */
export async function beginInspection(installation: Installation): Promise<DataSourceInspection | undefined> {
  if (installation.find('typeorm') === undefined) {
    return undefined;
  }
  const { DataSourceInspection: it } = await import('../../users/typeorm/data-source.inspection.js');
  return it.begin();
}

/** An inspection has no effect where the application has another copy of TypeORM. */
export function hasTwoTypeOrms(installation: Installation): boolean {
  const users = ['kit-auth', '@nestjs/typeorm'].map((name) => installation.find(name)?.folder);
  const copies = [installation.root, ...users].map(
    (from) => from && installation.find('typeorm', from)?.folder,
  );
  return new Set(copies.filter((it) => it !== undefined)).size > 1;
}
