import { AuthEvents, KIT_AUTH_SETTINGS, type KitAuthSettings } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/feature';
import { Counters, LoginThrottle } from 'kit-auth/login';
import { describeError } from 'kit-auth/tools';
import { type CliCommand, JSON_OPTION } from '../cli-command.js';
import { CliError } from '../cli.error.js';
import { report } from '../report.js';
import { usernameOf } from '../users.js';

const NAME = 'user unlock';

export const userUnlockCommand: CliCommand = {
  name: NAME,
  usage: '<username>',
  summary: 'Clears the failed logins of a user, so that the right password is accepted at once.',
  details:
    'Needs counters that commands can reach: kit.auth.login.throttle.limiter. Publishes the event user-unlocked, as\n' +
    'POST users/{id}/unlock of kit-auth-admin does.',
  options: { json: JSON_OPTION },
  async run(context) {
    const { args, app, user } = context;
    const username = usernameOf(args, NAME);
    const loaded = await app();
    const users = loaded.get(ActiveUserStore);
    const { id } = await user(username);
    requireSharedCounters(loaded.get<KitAuthSettings>(KIT_AUTH_SETTINGS));
    const [throttle, counters] = [loaded.get(LoginThrottle), loaded.get(Counters)];
    const lockedUntil = await throttle.lockedUntil(username);
    requireAnswers(counters);
    const action = loaded.get(AuthEvents).begin();
    const event = { type: 'user-unlocked', subjectId: id, subject: username } as const;
    await users.transaction(action, (change) => change.note(event));
    await throttle.unlock(username);
    try {
      requireAnswers(counters);
    } catch (error) {
      action.note({ ...event, success: false, detail: 'the throttle failed' });
      throw error;
    }
    const sentence =
      lockedUntil === null
        ? `${username} was not locked. The failed logins are cleared.`
        : `Unlocked ${username}, who was locked until ${lockedUntil.toISOString()}.`;
    report(context, sentence, { id, username, lockedUntil });
  },
};

/** @throws CliError if accounts cannot be locked, or the counts are in the memory of the application */
function requireSharedCounters({ enabled, login: { throttle } }: KitAuthSettings): void {
  if (!enabled || throttle === false) {
    throw new CliError('Nobody is locked: the login throttle is off (kit.auth.login.throttle).', 1);
  }
  if (throttle.limiter === undefined) {
    throw new CliError(
      'Each process of the application counts failed logins in its own memory, which commands cannot reach. Use POST ' +
        'users/{id}/unlock of kit-auth-admin, restart the application, or let the processes share their counts with ' +
        'kit.auth.login.throttle.limiter.',
      1,
    );
  }
}

/** @throws CliError if the store of the counts fails */
function requireAnswers({ failure }: Counters): void {
  if (failure !== undefined) {
    throw new CliError(
      `The store of kit.auth.login.throttle.limiter fails: ${describeError(failure)}. Connect its client where it is ` +
        'created, or in onModuleInit() of a class that the options inject: commands run no other hook of the application.',
      1,
    );
  }
}
