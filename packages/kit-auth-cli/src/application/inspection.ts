import type { DataSourceInspection } from '../database/data-source.inspection.js';
import type { Installation } from './installation.js';

/**
 * Keeps the data sources that connect while work runs from changing their databases. Without a connection, they have
 * their entities all the same.
 *
 * @param work gets nothing in applications without TypeORM
 */
export async function inspecting<T>(
  installation: Installation,
  work: (inspection?: DataSourceInspection) => Promise<T>,
): Promise<T> {
  if (installation.find('typeorm') === undefined) {
    return work();
  }
  const { DataSourceInspection: it } = await import('../database/data-source.inspection.js');
  const inspection = it.begin();
  try {
    return await work(inspection);
  } finally {
    inspection.end();
  }
}

/** An inspection has no effect where the application has another copy of TypeORM. */
export function hasTwoTypeOrms(installation: Installation): boolean {
  const users = ['kit-auth', 'kit-auth-cli', '@nestjs/typeorm'].map(
    (name) => installation.find(name)?.folder,
  );
  const copies = [installation.root, ...users].map(
    (from) => from && installation.find('typeorm', from)?.folder,
  );
  return new Set(copies.filter((it) => it !== undefined)).size > 1;
}
