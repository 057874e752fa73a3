import { settingsOfEnvironment } from './settings/environment.js';
import { startUpProblem } from './settings/start-up-problem.js';

/** The shell of npm does not forward signals. When it ends, the application ends too. */
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
  // Imported here, so that an error of a native module is also reported in one line.
  const { start } = await import('./start.js');
  const { greeting } = await start(settings);
  console.log(greeting);
} catch (error) {
  console.error(`The demo could not start: ${startUpProblem(error)}`);
  process.exit(1);
}
