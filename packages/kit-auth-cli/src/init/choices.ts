import { CliError } from '../cli.error.js';
import type { CliContext } from '../cli-command.js';
import { ask } from '../prompt.js';
import type { Surroundings } from './surroundings.js';
import {
  type Choices,
  type Database,
  DATABASES,
  type Extra,
  EXTRAS,
  type Implementation,
  type Protect,
  WITH_SETTINGS,
} from './wanted.js';

type Source = Pick<CliContext, 'options' | 'stdin' | 'stderr'>;
interface Application {
  /** The implementation that it has. */
  readonly current: Implementation | undefined;
  readonly surroundings: Surroundings;
}

type Answers<T extends string> = Readonly<Record<T, string>>;

const guideOf = (name: string) => `https://github.com/kit-auth/kit-auth/blob/main/docs/guides/${name}.md`;
const IMPLEMENTATION: Answers<Implementation> = {
  sessions: 'they end at once, and can be listed (recommended)',
  jwt: 'no look-up for each request',
};
const DATABASE: Answers<keyof typeof DATABASES> = {
  sqlite: 'a file, which is enough to try it',
  postgres: 'DATABASE_URL names it',
  mysql: 'DATABASE_URL names it',
  mariadb: 'DATABASE_URL names it',
};
const PROTECT: Answers<Protect> = {
  all: 'every route, unless it has @Public()',
  decorated: 'only routes with a decorator, such as @RequireToken()',
};
/** Defaults for an application with another authentication, so that it keeps working. */
const PROTECT_BESIDE: Answers<Protect> = { decorated: PROTECT.decorated, all: PROTECT.all };

/**
 * The choices in the options. The others are asked for in a terminal, and have defaults with `--yes` and `--dry-run`.
 *
 * @param isAsked a person answers questions
 * @throws CliError for contradictions, and without a terminal to ask
 */
export async function choose(
  source: Source,
  { current, surroundings }: Application,
  isAsked: boolean,
): Promise<Choices> {
  const named = flagsOf(source.options);
  if (isAsked && source.stdin.isTTY !== true) {
    throw new CliError(
      'There is no terminal to ask. Pass --yes, plus each choice that differs from its default: --jwt, ' +
        '--database=<name>, --cookies, --with=<packages>, --protect=decorated. --dry-run shows what would change.',
    );
  }
  const pick = async <T extends string>(question: string, answers: Answers<T>): Promise<T> => {
    const [first] = namesOf(answers) as [T];
    return isAsked ? askFor(source, question, answers) : first;
  };
  const implementation = named.implementation ?? current ?? (await pick('Which tokens?', IMPLEMENTATION));
  const database = named.database ?? (await databaseOf(source, surroundings, isAsked));
  const { typeOrmIn, isTypeOrmInRoot } = surroundings;
  if (typeOrmIn !== undefined && !isTypeOrmInRoot && database !== 'existing') {
    throw new CliError(
      `The application has a data source of TypeORM already, in ${typeOrmIn}. Leave out --database.`,
    );
  }
  const routes = surroundings.otherAuthentication === undefined ? PROTECT : PROTECT_BESIDE;
  const protect = named.protect ?? (current ? 'all' : await pick('Which routes need a token?', routes));
  const extras = named.extras ?? (isAsked && !current ? await askForExtras(source, implementation) : []);
  requireFitting(extras, implementation);
  return { implementation, database, protect, extras };
}

function flagsOf(options: Source['options']) {
  if (options['jwt'] === true && options['sessions'] === true) {
    throw new CliError('Give either --jwt or --sessions.');
  }
  const implementation: Implementation | undefined =
    options['jwt'] === true ? 'jwt' : options['sessions'] === true ? 'sessions' : undefined;
  const cookies: Extra[] = options['cookies'] === true ? ['browser'] : [];
  const listed = options['with'] === undefined ? [] : extrasIn(options['with'] as string);
  return {
    implementation,
    database: oneOf('database', options, [...namesOf(DATABASES), 'existing'] as const),
    protect: oneOf('protect', options, namesOf(PROTECT)),
    extras: cookies.length + listed.length === 0 ? undefined : [...new Set([...cookies, ...listed])],
  };
}

function oneOf<T extends string>(
  name: string,
  options: Source['options'],
  allowed: readonly T[],
): T | undefined {
  const value = options[name] as string | undefined;
  const found = allowed.find((one) => one === value);
  if (value !== undefined && found === undefined) {
    throw new CliError(`The option --${name} must be one of: ${allowed.join(', ')}.`);
  }
  return found;
}

function namesOf<T extends string>(table: Readonly<Record<T, unknown>>): T[] {
  return Object.keys(table) as T[];
}

/** @throws CliError for a package that does not exist, or needs settings */
function extrasIn(list: string): Extra[] {
  const names = list
    .split(',')
    .map((name) => name.trim().replace(/^kit-auth-/, ''))
    .filter((name) => name !== '');
  for (const name of names) {
    const guide = WITH_SETTINGS.get(name);
    if (guide !== undefined) {
      throw new CliError(`kit-auth-${name} needs settings of yours. Add it later: ${guideOf(guide)}`);
    }
    if (!Object.hasOwn(EXTRAS, name)) {
      throw new CliError(`There is no package ${name}. The packages are: ${Object.keys(EXTRAS).join(', ')}.`);
    }
  }
  return names as Extra[];
}

/** @throws CliError if the application keeps its data without TypeORM, and questions are off */
async function databaseOf(
  source: Source,
  { typeOrmIn, otherOrm }: Surroundings,
  isAsked: boolean,
): Promise<Database> {
  if (typeOrmIn !== undefined) {
    return 'existing';
  }
  if (otherOrm !== undefined) {
    const hint =
      `The application uses ${otherOrm}. To keep users in its tables, write a user store: ` +
      `${guideOf('your-own-users')}.`;
    if (!isAsked) {
      const names = namesOf(DATABASES).join('|');
      throw new CliError(`${hint} To keep them in TypeORM beside it, pass --database=<${names}>.`);
    }
    source.stderr.write(`${hint}\n`);
  }
  return isAsked ? askFor(source, 'Which database of TypeORM?', DATABASE) : 'sqlite';
}

async function askFor<T extends string>(source: Source, question: string, answers: Answers<T>): Promise<T> {
  const names = namesOf(answers);
  const list = names.map((name, i) => `  ${i + 1}. ${name}: ${answers[name]}\n`).join('');
  source.stderr.write(`${question}\n${list}`);
  for (;;) {
    const [answer = ''] = await ask(['[1] '], { ...source, isHidden: false });
    const typed = answer.trim() || '1';
    const chosen = names.find((name, i) => typed === name || typed === String(i + 1));
    if (chosen !== undefined) {
      return chosen;
    }
    source.stderr.write(`Type a number from 1 to ${names.length}.\n`);
  }
}

/** @throws CliError for a package that needs the other implementation */
function requireFitting(extras: readonly Extra[], implementation: Implementation): void {
  if (extras.includes('refresh') && implementation === 'sessions') {
    throw new CliError(
      'kit-auth-refresh is for JWTs: sessions have no refresh tokens. Pass --jwt, or leave it out.',
    );
  }
}

async function askForExtras(source: Source, implementation: Implementation): Promise<Extra[]> {
  source.stderr.write(
    'Which further packages? Separate them by commas. browser: cookies; admin: endpoints for users and roles; keys: ' +
      'API keys; otel: OpenTelemetry; refresh: refresh tokens for JWTs.\n',
  );
  for (;;) {
    const [answer = ''] = await ask(['[none] '], { ...source, isHidden: false });
    try {
      const extras = answer.trim() === 'none' ? [] : extrasIn(answer);
      requireFitting(extras, implementation);
      return extras;
    } catch (error) {
      source.stderr.write(`${(error as Error).message}\n`);
    }
  }
}
