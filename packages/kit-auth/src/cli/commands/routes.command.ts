import { RouteAccessReport } from '../../routes/route-access.report.js';
import { type CliCommand, JSON_OPTION } from '../cli-command.js';
import { setupNote } from '../main-file.js';

export const routesCommand: CliCommand = {
  name: 'routes',
  usage: '',
  summary: 'Lists the routes of the application, and who may call them.',
  options: { json: JSON_OPTION },
  async run({ app, found, options, output }) {
    const loaded = await app({ until: 'init' });
    const routes = loaded.get(RouteAccessReport).routes();
    if (options['json'] === true) {
      output.json(routes);
    } else {
      output.table(
        ['METHOD', 'PATH', 'ACCESS', 'HANDLER'],
        routes.map(({ method, path, decision, handler }) => [method, path, decision, handler]),
      );
    }
    const note = setupNote(found());
    if (note !== undefined) {
      output.note(note);
    }
  },
};
