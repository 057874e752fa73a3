import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readSettings, type Settings } from './settings.js';

/** The folder of the demo. */
const HOME = fileURLToPath(new URL('../..', import.meta.url));

/** The settings of the environment and of `.env`. */
export function settingsOfEnvironment(): Settings {
  if (existsSync(`${HOME}.env`)) {
    process.loadEnvFile(`${HOME}.env`);
  }
  return readSettings(process.env, `sqlite:${HOME}data/demo.sqlite`);
}
