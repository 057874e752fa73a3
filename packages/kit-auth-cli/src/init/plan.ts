import { relative } from 'node:path';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { packageRootOf } from '../application/installation.js';
import type { InitContext } from '../cli-command.js';
import { choose } from './choices.js';
import { editModule, type ModuleChange } from './edit-module.js';
import { ModuleFile } from './module-file.js';
import { nextSteps } from './next-steps.js';
import { NotUnderstood } from '../cli.error.js';
import { installCommands, runCommand } from './package-manager.js';
import { type Surroundings, surroundingsByManifest, surroundingsOf } from './surroundings.js';
import { findTarget, type Target } from './target.js';
import {
  type Choices,
  CORE,
  type Implementation,
  IMPLEMENTATIONS,
  pasteText,
  wantedModules,
} from './wanted.js';
import { isReadOnly, readSource, replaceSource, type SourceText } from './write-file.js';

/** The commands and the change of `init`. */
export interface Plan {
  /** Printed before. */
  readonly text: string;
  /** 0: it can be carried out. 3: a file was not understood, and the text says what to add. */
  readonly code: 0 | 3;
  /** There is nothing to do. */
  readonly isDone: boolean;
  /** Installs the packages, and then writes the file. @throws CliError; then the file is as before */
  readonly carryOut: () => void;
  /** Printed afterwards. */
  readonly next: string;
}

/** The application before the change. */
interface Found {
  readonly target: Target;
  readonly source: SourceText;
  readonly surroundings: Surroundings;
  readonly current: Implementation | undefined;
}

/** @throws CliError if there is no application, or options contradict each other or it */
export async function plan(context: InitContext): Promise<Plan> {
  const isAsked = context.options['yes'] !== true && context.options['dry-run'] !== true;
  let choices: Choices | undefined;
  try {
    const found = findIn(context);
    choices = await choose(context, found, isAsked);
    return await planOf(context, found, choices);
  } catch (error) {
    if (!(error instanceof NotUnderstood)) {
      throw error;
    }
    const root = packageRootOf(context.cwd) ?? context.cwd;
    const surroundings = surroundingsByManifest(root);
    choices ??= await choose(context, { current: undefined, surroundings }, false);
    return await refusal(error, root, choices);
  }
}

function findIn({ cwd, options }: InitContext): Found {
  const [project, module] = [options['project'], options['module']] as (string | undefined)[];
  const target = findTarget(cwd, { project, module });
  const source = readSource(target.file, target.shown);
  const file = ModuleFile.parse(source.text, target.shown, target.className);
  if (isReadOnly(source)) {
    throw new NotUnderstood(`${target.shown} is read-only.`);
  }
  const names = Object.keys(IMPLEMENTATIONS) as Implementation[];
  const current = names.find((name) => file.modules(IMPLEMENTATIONS[name]).length > 0);
  return { target, source, surroundings: surroundingsOf(target), current };
}

async function planOf(
  context: InitContext,
  { target, source, surroundings }: Found,
  choices: Choices,
): Promise<Plan> {
  const { root, shown } = target;
  const change = editModule(source.text, target, wantedModules(choices));
  const lacking = await installCommands(root, choices);
  const commands = context.options['no-install'] === true ? [] : lacking;
  const isWritten = change.text !== source.text;
  const isDone = !isWritten && commands.length === 0;
  return {
    text: isDone
      ? `There is nothing to do: ${shown} has ${CORE.name} and ${IMPLEMENTATIONS[choices.implementation].name}.\n`
      : shownText(context, root, commands, isWritten ? patchOf(shown, source.text, change.text) : undefined),
    code: 0,
    isDone,
    carryOut: () => {
      commands.forEach((command) => {
        runCommand(command, root, context.env);
      });
      if (isWritten) {
        replaceSource(source, change.text);
      }
    },
    next: `${[...doneLines(shown, isWritten, change), '', ...nextSteps(context, { choices, commands: lacking, surroundings, change })].join('\n')}\n`,
  };
}

function shownText(
  { cwd }: InitContext,
  root: string,
  commands: readonly (readonly string[])[],
  diff: string | undefined,
): string {
  const where = relative(cwd, root);
  const lines = commands.map((command) => `  ${command.join(' ')}`);
  return [
    ...(lines.length === 0 ? [] : [`Install${where === '' ? '' : ` in ${where}`}:`, ...lines, '']),
    ...(diff === undefined ? [] : [diff]),
    '',
  ].join('\n');
}

/** The output of `diff -u`. */
function patchOf(shown: string, before: string, after: string): string {
  return createTwoFilesPatch(shown, shown, before, after, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
    stripTrailingCr: true,
  });
}

function doneLines(shown: string, isWritten: boolean, { replaced }: ModuleChange): string[] {
  return [
    ...(isWritten ? [`Changed ${shown}.`] : []),
    ...(replaced === undefined
      ? []
      : [`You can remove ${replaced} from package.json. Users have to log in again.`]),
  ];
}

async function refusal(error: NotUnderstood, root: string, choices: Choices): Promise<Plan> {
  const commands = (await installCommands(root, choices)).map((command) => `  ${command.join(' ')}`);
  const install = commands.length === 0 ? [] : ['Install the packages:', '', ...commands, ''];
  const entities =
    choices.database === 'existing'
      ? ['', 'The options of TypeOrmModule need autoLoadEntities: true, which adds the entities of kit-auth.']
      : [];
  return {
    text: `${[...install, pasteText(wantedModules(choices)), ...entities].join('\n')}\n`,
    code: 3,
    isDone: true,
    carryOut: () => undefined,
    next: `${error.message} Nothing was changed.`,
  };
}
