import { resolve } from 'node:path';
import { RouteAccessReport } from 'kit-auth';
import { textOf } from 'kit-auth/cli';
import { type CliCommand, type CliContext, JSON_OPTION } from '../cli-command.js';
import { inspecting } from '../application/inspection.js';
import { Installation } from '../application/installation.js';
import { accessNotes } from '../application/entry-file.js';
import { differencesOf, readRoutes, type RouteDifferences } from '../route-differences.js';

export const routesCommand: CliCommand = {
  name: 'routes',
  usage: '',
  summary: 'Lists the routes and messages of the application, and who may call them.',
  details:
    'To notice changes, for example in CI, keep the list in a file and compare it:\n' +
    '  npx kit-auth routes --json > routes.json\n' +
    '  npx kit-auth routes --check routes.json\n' +
    'The comparison exits with 1 if a route was added or removed, or if other users may call it now. The database of\n' +
    'TypeORM need not run, and is not changed.',
  options: {
    check: { type: 'string', value: 'file', description: 'compare with the list in a file' },
    json: JSON_OPTION,
  },
  async run(context) {
    const { app, cwd, found, options, output } = context;
    const { check } = options as { check?: string };
    const before = check === undefined ? undefined : readRoutes(resolve(cwd, check), check);
    const loaded = await inspecting(new Installation(found().root), () => app({ until: 'init' }));
    accessNotes(found(), loaded).forEach((note) => output.note(note));
    const report = loaded.get(RouteAccessReport);
    const routes = [...report.routes(), ...report.messages()];
    if (before !== undefined) {
      return printDifferences(differencesOf(before, routes), context);
    }
    if (options['json'] === true) {
      output.json(routes);
    } else {
      output.table(
        ['METHOD', 'PATH', 'HANDLER', 'ACCESS'],
        routes.map((route) => [route.method, route.path, route.handler, textOf(route)]),
      );
    }
    return 0;
  },
};

/** @returns the exit code */
function printDifferences(differences: RouteDifferences, { options, output }: CliContext): number {
  const { added, removed, changed } = differences;
  const count = added.length + removed.length + changed.length;
  if (options['json'] === true) {
    output.json({ ok: count === 0, ...differences });
  } else {
    added.forEach((route) => output.line(`added    ${route.method} ${route.path}: ${textOf(route)}`));
    removed.forEach((route) => output.line(`removed  ${route.method} ${route.path}: ${textOf(route)}`));
    for (const { before, after } of changed) {
      output.line(`changed  ${after.method} ${after.path}`);
      output.line(`         before: ${textOf(before)}`);
      output.line(`         now:    ${textOf(after)}`);
    }
    output.line(count === 0 ? 'No differences.' : `${count} ${count === 1 ? 'difference' : 'differences'}.`);
  }
  if (count > 0) {
    output.note(
      `If this is intended, write the file again: npx kit-auth routes --json > ${String(options['check'])}`,
    );
  }
  return count === 0 ? 0 : 1;
}
