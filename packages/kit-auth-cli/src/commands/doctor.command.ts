import { type CliCommand, JSON_OPTION } from '../cli-command.js';
import { checkApplication } from '../doctor/application.checks.js';
import { Diagnosis } from '../doctor/diagnosis.js';
import { Installation, packageRootOf } from '../application/installation.js';
import { checkCopies, checkVersions } from '../doctor/installation.checks.js';

export const doctorCommand: CliCommand = {
  name: 'doctor',
  usage: '',
  summary: 'Finds mistakes in the installation, the options and the database, with the cure of each.',
  details:
    'Changes nothing: synchronize, migrationsRun and dropSchema of TypeORM have no effect. Run it with the environment of\n' +
    'production, as NODE_ENV=production adds warnings about proxies and several instances.\n' +
    'Exits with 1 if there is a problem. Warnings do not change the exit code.',
  options: { json: JSON_OPTION },
  async run(context) {
    const { cwd, options, output } = context;
    const diagnosis = new Diagnosis((error) => {
      if (options['verbose'] === true && error instanceof Error) {
        output.note(error.stack ?? String(error));
      }
    });
    const installation = new Installation(packageRootOf(cwd) ?? cwd);
    await diagnosis.check('versions', () => checkVersions(installation));
    await diagnosis.check('copies', async () => checkCopies(installation, await installation.manager()));
    await checkApplication(diagnosis, installation, context);
    if (options['json'] === true) {
      diagnosis.printJson(output);
    } else {
      diagnosis.print(output);
    }
    return diagnosis.hasProblem ? 1 : 0;
  },
};
