import { AuthEvents, isPermission } from 'kit-auth';
import { type CliCommand, JSON_OPTION } from '../cli-command.js';
import { CliError } from '../cli.error.js';
import { report } from '../report.js';
import { rolesOf } from '../roles.js';
import { nameOf } from '../users.js';

const NAME = 'role create';

export const roleCreateCommand: CliCommand = {
  name: NAME,
  usage: '<code>',
  summary: 'Creates a role.',
  details: 'Publishes the event role-created, as POST roles of kit-auth-admin does.',
  options: {
    name: { type: 'string', value: 'name', description: 'the name that people see; by default the code' },
    permission: {
      type: 'string',
      multiple: true,
      value: 'permission',
      description: 'a permission of the role, such as note:read or note:*; may be repeated',
    },
    include: {
      type: 'string',
      multiple: true,
      value: 'code',
      description: 'a role that users of this one also have; may be repeated',
    },
    json: JSON_OPTION,
  },
  async run(context) {
    const { args, options, app } = context;
    const [code] = args;
    if (code === undefined) {
      throw new CliError(`Name a role: kit-auth ${NAME} <code>`);
    }
    const name = nameOf((options['name'] as string | undefined) ?? code, 'name');
    const permissions = valuesOf(options['permission']);
    const includes = valuesOf(options['include']);
    const invalid = permissions.find((permission): boolean => !isPermission(permission));
    if (invalid !== undefined) {
      throw new CliError(`"${invalid}" is not a permission. Permissions are such as note:read or note:*.`);
    }
    const roles = await rolesOf(context, NAME);
    roles.requireCode(code);
    const action = (await app()).get(AuthEvents).begin();
    const role = await roles.create(action, { code, name, permissions, includes });
    const having =
      permissions.length === 0 ? 'without permissions' : `permissions: ${permissions.join(', ')}`;
    const including = includes.length === 0 ? '' : `; includes: ${includes.join(', ')}`;
    report(context, `Created the role ${code}, ${having}${including}.`, role);
    return undefined;
  },
};

function valuesOf(option: unknown): string[] {
  return [...new Set((option as readonly string[] | undefined) ?? [])];
}
