import { AuthEvents } from 'kit-auth';
import { ActiveLogins, SessionEnds } from 'kit-auth/login';
import { ActiveUserStore } from 'kit-auth/feature';
import { type CliCommand, JSON_OPTION } from '../cli-command.js';
import { report, reportEnds } from '../report.js';
import { usernameOf, userNamed } from '../users.js';

const NAME = 'user disable';

export const userDisableCommand: CliCommand = {
  name: NAME,
  usage: '<username>',
  summary: 'Disables a user, and ends the sessions of the user; or enables the user again.',
  details:
    'The last enabled super administrator cannot be disabled. Publishes the event user-status-changed, as\n' +
    'PATCH users/{id} of kit-auth-admin does.',
  options: {
    enable: { type: 'boolean', description: 'enable the user again' },
    json: JSON_OPTION,
  },
  async run(context) {
    const { args, options, app } = context;
    const username = usernameOf(args, NAME);
    const enabled = options['enable'] === true;
    const loaded = await app();
    const [users, logins] = [loaded.get(ActiveUserStore), loaded.get(ActiveLogins)];
    const method = enabled ? 'enableUser' : 'disableUser';
    users.require(`kit-auth ${NAME}${enabled ? ' --enable' : ''}`, 'findByUsername', method);
    const { id } = await userNamed(users, username);
    const about = { subjectId: id, subject: username };
    const action = loaded.get(AuthEvents).begin();
    const outcome = { changed: false };
    await loaded.get(SessionEnds).changeUser(action, id, async (change) => {
      outcome.changed = await users[method](id, change);
      if (outcome.changed) {
        const detail = enabled ? 'ENABLED' : 'DISABLED';
        await change.note({ type: 'user-status-changed', ...about, detail });
      }
      // Sessions end even if the user was already disabled, because the session store may have failed at that time.
      return enabled ? undefined : { ...about, end: () => logins.endAllOf(id, { reason: 'disabled' }) };
    });
    const done = enabled ? 'enabled' : 'disabled';
    const sentence = outcome.changed ? `${username} is ${done} now.` : `${username} was ${done} already.`;
    const result = { id, username, enabled, ...outcome };
    if (enabled) {
      report(context, sentence, result);
    } else {
      reportEnds(context, loaded, sentence, result);
    }
  },
};
