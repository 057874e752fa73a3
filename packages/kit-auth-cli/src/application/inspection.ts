import type { DataSourceInspection } from '../database/data-source.inspection.js';
import { CliError } from '../cli.error.js';
import type { Installation } from './installation.js';

/**
 * Data sources that connect during the work do not change their databases. A data source that cannot connect still has
 * its entities and migrations.
 *
 * @param work called without an inspection in applications without TypeORM
 */
export async function inspecting<T>(
  installation: Installation,
  work: (inspection?: DataSourceInspection) => Promise<T>,
): Promise<T> {
  if (installation.find('typeorm') === undefined) {
    return work();
  }
  const { DataSourceInspection: Inspection } = await import('../database/data-source.inspection.js');
  const inspection = Inspection.begin();
  try {
    return await work(inspection);
  } finally {
    inspection.end();
  }
}

/** An inspection has no effect if the application has another copy of TypeORM. */
export function hasTwoTypeOrms(installation: Installation): boolean {
  const users = ['kit-auth', 'kit-auth-cli', '@nestjs/typeorm'].map(
    (name) => installation.find(name)?.folder,
  );
  const copies = [installation.root, ...users].map(
    (from) => from && installation.find('typeorm', from)?.folder,
  );
  return new Set(copies.filter((copy) => copy !== undefined)).size > 1;
}

/** @throws CliError if the application has several copies of TypeORM */
export function requireOneTypeOrm(installation: Installation): void {
  if (hasTwoTypeOrms(installation)) {
    throw new CliError('There are several copies of typeorm. `npx kit-auth doctor` names them.', 1);
  }
}
