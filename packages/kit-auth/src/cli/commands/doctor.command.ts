import { type CliCommand, JSON_OPTION } from '../cli-command.js';
import { checkCopies } from '../doctor/copies.check.js';
import { Diagnosis } from '../doctor/diagnosis.js';
import { Installation, packageRootOf } from '../doctor/installation.js';
import { checkVersions } from '../doctor/versions.check.js';

export const doctorCommand: CliCommand = {
  name: 'doctor',
  usage: '',
  summary: 'Finds mistakes in the installation, with the cure of each.',
  details: 'Exits with 1 if there is a problem. Warnings do not change the exit code.',
  options: { json: JSON_OPTION },
  async run({ cwd, options, output }) {
    const diagnosis = new Diagnosis();
    const installation = new Installation(packageRootOf(cwd) ?? cwd);
    await diagnosis.check('versions', () => checkVersions(installation));
    await diagnosis.check('copies', () => checkCopies(installation));
    if (options['json'] === true) {
      diagnosis.printJson(output);
    } else {
      diagnosis.print(output);
    }
    return diagnosis.hasProblem ? 1 : 0;
  },
};
