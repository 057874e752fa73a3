import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { AuthCommand, AuthCommandContext, AuthCommandOption } from 'kit-auth';
import { COMMON_OPTIONS } from './cli-command.js';
import { CliError } from './cli.error.js';

type ParseArgsOptionsConfig = NonNullable<ParseArgsConfig['options']>;
type Options = Readonly<Record<string, AuthCommandOption>>;
interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}
/** A question with the candidate that is most similar to a word. Empty without a similar one. */
export type Suggest = (word: string, candidates: readonly string[]) => string;
export type ParsedArguments = Pick<AuthCommandContext, 'args' | 'options'>;

/**
 * The words of a command line, beginning with the name of the command, and the common options. Options of the command
 * are not known yet.
 *
 * @throws CliError for a common option without its value
 */
export function firstWords(
  argv: readonly string[],
  suggest: Suggest,
): {
  words: string[];
  options: {
    readonly module?: string;
    readonly setup?: string;
    readonly help?: true;
    readonly version?: true;
  };
} {
  const { values, tokens } = parseArgs({
    args: [...argv],
    options: { ...configOf(COMMON_OPTIONS), version: { type: 'boolean' } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === 'option' && Object.hasOwn(COMMON_OPTIONS, token.name)) {
      checkOption(token, COMMON_OPTIONS, suggest);
    }
  }
  const words = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  return { words, options: values as ReturnType<typeof firstWords>['options'] };
}

/** @throws CliError that names the option. It does not repeat values: they may be secrets. */
export function parseArguments<Context>(
  command: AuthCommand<Context>,
  argv: readonly string[],
  suggest: Suggest,
): ParsedArguments {
  const known: Options = { ...COMMON_OPTIONS, ...command.options };
  const { values, positionals, tokens } = parseArgs({
    args: [...argv],
    options: configOf(known),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === 'option') {
      checkOption(token, known, suggest);
    }
  }
  const args = positionals.slice(command.name.split(' ').length);
  const named = command.usage.match(/<[^>]+>|\[[^\]]+\]/g) ?? [];
  const most = named.at(-1)?.includes('...') === true ? Infinity : named.length;
  if (args.length > most) {
    throw new CliError(
      `Too many arguments. Usage: ${usageOf(command)}\nQuote an argument that contains spaces.`,
    );
  }
  return { args, options: values };
}

function checkOption(
  { name, rawName: written, value, inlineValue: isInline = false }: OptionToken,
  known: Options,
  suggest: Suggest,
): void {
  const option = Object.hasOwn(known, name) ? known[name] : undefined;
  if (option === undefined) {
    if (written === '--password' && 'password-stdin' in known) {
      throw new CliError(
        'There is no option --password: other users of the machine could read it in the list of processes. Leave it ' +
          'out to be asked, or pass the password on standard input, with --password-stdin.',
      );
    }
    const names = Object.keys(known).map((name) => `--${name}`);
    throw new CliError(`There is no option ${written}.${suggest(written, names)}`);
  }
  if (option.type === 'boolean' && value !== undefined) {
    throw new CliError(`The option ${written} takes no value.`);
  }
  if (option.type === 'string' && (value === undefined || (!isInline && value.startsWith('-')))) {
    throw new CliError(`The option ${written} needs a value: ${written}=<${option.value ?? 'value'}>`);
  }
}

/** One line, for example `kit-auth routes [options]`. */
export function usageOf<Context>({ name, usage }: AuthCommand<Context>): string {
  return ['kit-auth', name, usage, '[options]'].filter((part) => part !== '').join(' ');
}

function configOf(options: Options): ParseArgsOptionsConfig {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, multiple = false }]) => [name, { type, multiple }]),
  );
}
