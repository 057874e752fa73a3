import type { INestApplication } from '@nestjs/common';
import { ConfigCheck } from 'kit-auth/cli';
import { ActiveLogins } from 'kit-auth/login';
import { Ports } from 'kit-auth/feature';
import { type Finding, warning } from './diagnosis.js';

const DAY_SECONDS = 24 * 60 * 60;
/** The limit for tokens that a logout does not end. */
const MOST_DAYS = 30;

/** Looks for options that have no effect, for example misspelled ones, and for options that are wrong in production. */
export function checkOptions(app: INestApplication, isProduction: boolean): Finding[] {
  const warnings = app
    .get(ConfigCheck)
    .warnings()
    // `checkWhiteList()` reports it as a problem.
    .filter((text) => !text.startsWith('kit.auth.white-list '))
    .map((text) =>
      warning(
        text.replace(/(?<![.?])$/, '.'),
        'Correct or remove it. The application logs this at each start.',
      ),
    );
  return [...warnings, ...longTokens(app), ...(isProduction ? sessionsInMemory(app) : [])];
}

function longTokens(app: INestApplication): Finding[] {
  const { extensionName, lifetimeSeconds = 0 } = app.get(Ports).provider ?? {};
  const days = Math.floor(lifetimeSeconds / DAY_SECONDS);
  if (extensionName === undefined || days <= MOST_DAYS || app.get(ActiveLogins).areKnown()) {
    return [];
  }
  return [
    warning(
      `Tokens of ${extensionName} are valid for ${days} days, and a logout does not end them.`,
      'Shorten them to a day or less (kit-auth-jwt: kit.auth.jwt.expireMinutes). For longer logins, import ' +
        "KitAuthRefreshModule of 'kit-auth-refresh', or use KitAuthSessionModule of 'kit-auth-session'.",
    ),
  ];
}

function sessionsInMemory(app: INestApplication): Finding[] {
  if (app.get(Ports).provider === undefined || !app.get(ActiveLogins).areInProcess()) {
    return [];
  }
  return [
    warning(
      'Sessions are in the memory of the process. A restart forgets them, which ends all stateful sessions, ' +
        'and instances do not share them.',
      'Keep them in the database or in Redis, with the option store of kit-auth-session.',
    ),
  ];
}
