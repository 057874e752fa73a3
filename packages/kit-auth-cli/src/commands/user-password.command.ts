import { AuthEvents } from 'kit-auth';
import { ActiveUserStore } from 'kit-auth/feature';
import { NewPasswords, SessionEnds } from 'kit-auth/login';
import { type CliCommand, JSON_OPTION } from '../cli-command.js';
import { CliError } from '../cli.error.js';
import { newPassword, PASSWORD_STDIN } from '../prompt.js';
import { reportEnds } from '../report.js';
import { usernameOf, userNamed } from '../users.js';

const NAME = 'user password';

export const userPasswordCommand: CliCommand = {
  name: NAME,
  usage: '<username>',
  summary: 'Sets a new password, and ends the sessions of the user.',
  details:
    'Asks for the password. The user has to choose another one after the next login, because this one is known to others.\n' +
    'Publishes the event password-reset, as POST users/{id}/password of kit-auth-admin does, and also works where\n' +
    'kit-auth-email turns this endpoint off.',
  options: {
    'must-change': {
      type: 'boolean',
      description: 'the default; prints a note if the user store does not keep that',
    },
    permanent: { type: 'boolean', description: 'the user may keep the password' },
    ...PASSWORD_STDIN,
    json: JSON_OPTION,
  },
  async run(context) {
    const { args, options, output, app } = context;
    const username = usernameOf(args, NAME);
    const mustChange = options['permanent'] !== true;
    if (options['must-change'] === true && !mustChange) {
      throw new CliError('Give either --must-change or --permanent.');
    }
    const loaded = await app();
    const users = loaded.get(ActiveUserStore);
    users.require(`kit-auth ${NAME}`, 'findByUsername', 'changePassword');
    await userNamed(users, username);
    const passwordHash = await loaded.get(NewPasswords).hash(await newPassword(context), username);
    // Read again, because the prompt may have waited for minutes.
    const { id, enabled, securityStamp: seenStamp } = await userNamed(users, username);
    await loaded.get(SessionEnds).changeOwn(
      loaded.get(AuthEvents).begin(),
      { userId: id, username },
      {
        reason: 'password-changed',
        endsKeys: true,
        work: async (change) => {
          if (!(await users.changePassword(id, { passwordHash, seenStamp, mustChange }, change))) {
            throw new CliError(`${username} was changed at the same time. Try again.`, 1);
          }
          await change.note({ type: 'password-reset', subjectId: id, subject: username });
        },
      },
    );
    // A disabled user cannot be loaded.
    const isKept = mustChange && (!enabled || (await users.loadLoginUser(id))?.mustChangePassword === true);
    reportEnds(context, loaded, `Set a new password for ${username}.`, { id, username, mustChange: isKept });
    if (!enabled) {
      output.note(`Note: ${username} is disabled, and cannot log in.`);
    } else if (options['must-change'] === true && !isKept) {
      output.note(
        `Note: ${users.get().constructor.name} does not store mustChange: ${username} can keep the password.`,
      );
    }
  },
};
