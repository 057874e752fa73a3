import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import type { FoundApplication } from '../application/find-application.js';
import { isFile } from '../application/installation.js';
import { type Finding, type Passed, problem, warning } from './diagnosis.js';

const KEY = 'kit.auth.login.throttle';
const CURE = `Set ${KEY}.limiter to a limiter whose store they share, such as RateLimiterRedis of rate-limiter-flexible.`;
/** Files in which PM2 looks for applications. */
const PM2_FILES = ['ecosystem.config', 'pm2.config', 'process', 'pm2'].flatMap((name) =>
  ['js', 'cjs', 'mjs', 'json'].map((ending) => `${name}.${ending}`),
);

/**
 * Checks where failed logins are counted.
 *
 * @param several the reason for several processes, from `severalProcesses()`
 */
export function checkThrottle(
  app: INestApplication,
  several: string | undefined,
  isProduction: boolean,
): Finding[] | Passed {
  const { throttle } = app.get<KitAuthSettings>(KIT_AUTH_SETTINGS).login;
  if (throttle === false) {
    return [
      warning(
        `${KEY} is false: nothing of kit-auth slows down the guessing of passwords.`,
        'Remove the option, unless something else limits the logins of an account and of an address.',
      ),
    ];
  }
  if (throttle.limiter !== undefined) {
    return [];
  }
  const each = `each of them allows ${KEY}.failures wrong passwords (${throttle.failures}) of its own`;
  if (several !== undefined) {
    return [problem(`Failed logins are counted in each process, and ${several}: ${each}.`, CURE)];
  }
  if (!isProduction) {
    return { note: 'counts in the process, which is right with one process' };
  }
  return [
    warning(
      'Failed logins are counted in each process. doctor cannot see how many processes, containers or servers run the ' +
        `application. If there are several, ${each}.`,
      `${CURE} With one process, there is nothing to do.`,
    ),
  ];
}

/**
 * The reason why the application runs in several processes: `WEB_CONCURRENCY`, PM2 or a script of package.json. The second
 * half of a sentence. Several containers or servers cannot be detected.
 */
export function severalProcesses(
  { root, manifest: { scripts = {} } }: FoundApplication,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (Number(env['WEB_CONCURRENCY']) > 1) {
    return `WEB_CONCURRENCY is ${env['WEB_CONCURRENCY']}`;
  }
  const file = PM2_FILES.find((name) => {
    const path = join(root, name);
    return isFile(path) && /\binstances['"]?\s*:(?!\s*['"]?1\b)/.test(readFileSync(path, 'utf8'));
  });
  if (file !== undefined) {
    return `${file} asks PM2 for several instances`;
  }
  const script = Object.entries(scripts).find(([, text]) =>
    /\bpm2\b.*\s(?:-i|--instances)\b(?![ =]*1\b)/.test(text),
  );
  return script && `the script ${script[0]} of package.json asks PM2 for several instances`;
}
