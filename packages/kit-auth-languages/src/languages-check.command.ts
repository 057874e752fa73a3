import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { AuthCommand, AuthCommandContext } from 'kit-auth';
import { describeError, isObject } from 'kit-auth/tools';
import type { Catalog } from './client.js';
import { catalogProblems } from './catalog.problems.js';
import { isTag } from './accept-language.js';
import { RequiredSentences } from './required.sentences.js';

const USAGE = 'kit-auth languages check <file> --language <tag>';

/** `kit-auth languages check`. */
@Injectable()
export class LanguagesCheckCommand implements AuthCommand {
  readonly name = 'languages check';
  readonly usage = '<file>';
  readonly summary = 'Checks a catalog of sentences, and lists what it lacks.';
  readonly details =
    'The language is the name of the file, such as fr.json, unless --language names it. Ends with 1 if something is wrong. ' +
    'Sentences that are lacking are not wrong: those of the fallback are used.';
  readonly options = {
    language: { type: 'string', value: 'tag', description: 'the language of the catalog, such as pt-BR' },
    json: { type: 'boolean', description: 'print JSON' },
  } as const;

  constructor(private readonly required: RequiredSentences) {}

  async run({ args: [file], options, output, fail }: AuthCommandContext): Promise<number> {
    if (file === undefined) {
      return fail(`Name a file: ${USAGE}`, 2);
    }
    const language = options['language'] ?? basename(file, '.json');
    if (!isTag(language)) {
      return fail(`Name the language: ${USAGE}`, 2);
    }
    const catalog = await readCatalog(file).catch((error: unknown) => fail(describeError(error)));
    const problems = [...catalogProblems(language, catalog), ...this.required.unknownIn(catalog)];
    const missing = this.required.missingIn(catalog);
    if (options['json'] === true) {
      output.json({ language, problems, missing });
    } else {
      problems.forEach((problem) => output.line(`${file}: ${problem}`));
      missing.forEach((key) => output.line(`${file} lacks ${key}`));
      if (problems.length + missing.length === 0) {
        output.line(`${file} is complete.`);
      }
    }
    return problems.length === 0 ? 0 : 1;
  }
}

/** @throws Error if the file has no object in JSON */
async function readCatalog(file: string): Promise<Catalog> {
  const catalog = JSON.parse(await readFile(file, 'utf8')) as unknown;
  if (!isObject(catalog)) {
    throw new Error('a catalog is an object with sentences by code');
  }
  return catalog as Catalog;
}
