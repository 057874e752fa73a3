import { settingsOfEnvironment } from './settings/environment.js';
import { startUpProblem } from './settings/start-up-problem.js';

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
  const settings = settingsOfEnvironment();
  // Imported here, so that a native module that cannot be loaded gets its line too.
  const { start } = await import('./start.js');
  console.log(await start(settings));
} catch (error) {
  console.error(`The demo could not start: ${startUpProblem(error)}`);
  process.exit(1);
}
