import type { InitContext } from '../cli-command.js';
import { numbered } from '../output.js';
import type { ModuleChange } from './edit-module.js';
import type { Surroundings } from './surroundings.js';
import type { Choices } from './wanted.js';

const LOGIN = `curl localhost:3000/v1/api/auth/login -H 'Content-Type: application/json' \\
     -d '{"username":"admin","password":"admin"}'`;

const SECRET = 'Before production, set the option jwt.secret. npx kit-auth secret prints a random one.';

interface Done {
  readonly choices: Choices;
  /** The commands that install packages. */
  readonly commands: readonly (readonly string[])[];
  readonly surroundings: Surroundings;
  readonly change: ModuleChange;
}

/** The three steps after `init`. */
export function nextSteps(
  { options }: InitContext,
  { choices, commands, surroundings, change }: Done,
): string[] {
  const left = options['no-install'] === true ? commands : [];
  const { database, implementation, protect } = choices;
  const isByHand = database === 'existing' && change.needsAutoLoad && !surroundings.loadsEntities;
  const prepare = [
    ...left.map((command) => `Install the packages: ${command.join(' ')}`),
    ...(isByHand
      ? [
          `Add autoLoadEntities: true to the options of TypeOrmModule in ${surroundings.typeOrmIn ?? 'your application'}.`,
        ]
      : []),
    ...(database === 'existing' || database === 'sqlite'
      ? []
      : [`Set DATABASE_URL, such as ${exampleOf(database)}.`]),
  ];
  const tables =
    database === 'existing'
      ? ' Without synchronize: true, create the tables first: npx kit-auth migration:generate.'
      : '';
  return [
    'Next:',
    ...numbered([
      [
        ...prepare,
        `Start the application. It creates the user admin with the password admin, if there is none.${tables}`,
      ],
      [`Log in: ${LOGIN}`],
      [
        protect === 'all'
          ? 'Send the token with every request: Authorization: Bearer <token>. Open a route with @Public() of kit-auth.'
          : 'Protect a route with @RequireToken() of kit-auth, and send the token: Authorization: Bearer <token>.',
        ...(implementation === 'jwt' ? [SECRET] : []),
      ],
    ]),
    '',
    'Guides: https://github.com/kit-auth/kit-auth/tree/main/docs',
  ];
}

function exampleOf(database: string): string {
  const scheme = database === 'mariadb' ? 'mysql' : database;
  return `${scheme}://user:password@localhost/app`;
}
