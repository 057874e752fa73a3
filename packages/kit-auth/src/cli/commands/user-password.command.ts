import { NewPasswords } from '../../account/new-passwords.js';
import { SessionEnds } from '../../account/session-ends.js';
import { AuthEvents } from '../../contract/auth-events.js';
import { ActiveLogins } from '../../provider/active.logins.js';
import { ActiveUserStore } from '../../users/active.user-store.js';
import { type CliCommand, JSON_OPTION } from '../cli-command.js';
import { CliError } from '../cli.error.js';
import { newPassword, PASSWORD_STDIN } from '../prompt.js';
import { remainingTokens, report } from '../report.js';
import { usernameOf, userNamed } from '../users.js';

const NAME = 'user password';

export const userPasswordCommand: CliCommand = {
  name: NAME,
  usage: '<username>',
  summary: 'Sets a new password, and ends the sessions of the user.',
  details:
    'Asks for the password. Publishes the event password-reset, as POST users/{id}/password of kit-auth-admin does.',
  options: {
    'must-change': {
      type: 'boolean',
      description: 'the user has to choose another one after the next login',
    },
    ...PASSWORD_STDIN,
    json: JSON_OPTION,
  },
  async run(context) {
    const { args, options, output, app } = context;
    const username = usernameOf(args, NAME);
    const mustChange = options['must-change'] === true;
    const loaded = await app();
    const [users, logins] = [loaded.get(ActiveUserStore), loaded.get(ActiveLogins)];
    users.require(`kit-auth ${NAME}`, 'findByUsername', 'changePassword');
    const passwords = loaded.get(NewPasswords);
    passwords.requireAdminResets();
    await userNamed(users, username);
    const passwordHash = await passwords.hash(await newPassword(context), username);
    // Again, because a prompt may wait for long.
    const { id, enabled, securityStamp: seenStamp } = await userNamed(users, username);
    await loaded.get(SessionEnds).changeOwn(
      loaded.get(AuthEvents).begin(),
      { userId: id, username },
      {
        reason: 'password-changed',
        work: async (change) => {
          if (!(await users.changePassword(id, { passwordHash, seenStamp, mustChange }, change))) {
            throw new CliError(`${username} was changed at the same time. Try again.`, 1);
          }
          await change.note({ type: 'password-reset', subjectId: id, subject: username });
        },
      },
    );
    const remaining = remainingTokens(logins);
    const sessions = remaining === undefined ? ' All their sessions have ended.' : '';
    report(context, `Set a new password for ${username}.${sessions}`, { id, username, mustChange });
    if (remaining !== undefined) {
      output.note(remaining);
    }
    if (!enabled) {
      output.note(`Note: ${username} is disabled, and cannot log in.`);
    } else if (mustChange && (await users.loadLoginUser(id))?.mustChangePassword !== true) {
      output.note(
        `Note: ${users.get().constructor.name} does not store mustChange: ${username} can keep the password.`,
      );
    }
    return undefined;
  },
};
