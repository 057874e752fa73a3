import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readSettings } from './settings/settings.js';
import { startUpProblem } from './settings/start-up-problem.js';

const HOME = fileURLToPath(new URL('..', import.meta.url));

/** The shell that npm starts us in keeps a signal to itself: when it is gone, we go as well. */
function endWithNpm(): void {
  const shell = process.ppid;
  setInterval(() => {
    if (process.ppid !== shell) {
      process.kill(process.pid, 'SIGTERM');
    }
  }, 500).unref();
}

try {
  if (process.env['npm_lifecycle_event'] !== undefined) {
    endWithNpm();
  }
  if (existsSync(`${HOME}.env`)) {
    process.loadEnvFile(`${HOME}.env`);
  }
  const settings = readSettings(process.env, `sqlite:${HOME}data/demo.sqlite`);
  // Imported here, so that a native module that cannot be loaded gets its line too.
  const { start } = await import('./start.js');
  console.log(await start(settings));
} catch (error) {
  console.error(`The demo could not start: ${startUpProblem(error)}`);
  process.exit(1);
}
