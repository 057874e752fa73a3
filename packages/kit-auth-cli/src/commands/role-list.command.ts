import { type CliCommand, JSON_OPTION } from '../cli-command.js';
import { rolesOf } from '../roles.js';

const NAME = 'role list';

export const roleListCommand: CliCommand = {
  name: NAME,
  usage: '',
  summary: 'Lists the roles, with their permissions and the roles that they include.',
  options: { json: JSON_OPTION },
  async run(context) {
    const { options, output } = context;
    const roles = await (await rolesOf(context, NAME)).list();
    if (options['json'] === true) {
      output.json(roles);
    } else {
      const rows = roles.map(({ code, name, permissions, includes }) => [
        code,
        name,
        permissions.join(', ') || '-',
        includes.join(', ') || '-',
      ]);
      output.table(['CODE', 'NAME', 'PERMISSIONS', 'INCLUDES'], rows);
    }
    return undefined;
  },
};
