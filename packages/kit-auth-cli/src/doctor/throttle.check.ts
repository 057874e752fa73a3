import type { INestApplication } from '@nestjs/common';
import { KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { type Finding, type Passed, problem, warning } from './finding.js';
import type { SeveralProcesses } from './instances.js';

const KEY = 'kit.auth.login.throttle';
const CURE = `Set ${KEY}.limiter to a limiter whose store they share, such as RateLimiterRedis of rate-limiter-flexible.`;

/**
 * Checks where failed logins are counted.
 *
 * @param several why there are several processes. Undefined if nothing says so
 */
export function checkThrottle(
  app: INestApplication,
  several: SeveralProcesses | undefined,
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
    const text = `Failed logins are counted in each process, and ${several.because}: ${each}.`;
    return [several.isAssumed ? warning(text, CURE) : problem(text, CURE)];
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
