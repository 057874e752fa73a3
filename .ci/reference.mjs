// Writes the options and the error codes into the documents, from the doc comments in the sources, the packages, from
// README.md and their package.json, the sentences, from the catalogs of kit-auth-languages, and the endpoints, from their
// declarations. They stand between comments:
// <!-- options of kit.auth: option, default, meaning --> and <!-- end of options -->,
// <!-- errors: code, error, cause --> and <!-- end of errors -->, <!-- packages: package, adds --> and
// <!-- end of packages -->, <!-- sentences: key, English --> and <!-- end of sentences -->, or
// <!-- endpoints of kit-auth: endpoint, access --> and <!-- end of endpoints -->. The names are the columns of a table. For options and errors, `reference` instead of them stands for sections with everything.
// With --check it changes nothing, and fails if a document is not up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import prettier from 'prettier';
import { documents } from './files.mjs';
import { declarations, endpointsIn } from './reference/endpoints.mjs';
import { errorsIn } from './reference/errors.mjs';
import { definitions, optionsIn } from './reference/options.mjs';
import { packagesIn } from './reference/packages.mjs';
import { sentencesIn } from './reference/sentences.mjs';

const PART =
  /(<!-- (options|errors|packages|sentences|endpoints)(?: of (\S+))?: ([^\n]+) -->\n)(.*?)(?=<!-- end of \2 -->)/gs;
const MAX_LINE = 168;
/** Their tables are compact, so that only their longest rows are long. */
const UNALIGNED = new Set(['sentences', 'endpoints']);

const parts = {
  options: ({ name, columns }) => optionsIn(name, columns),
  endpoints: ({ name, columns, given }) => endpointsIn(name, columns, given),
  errors: ({ columns }) => errorsIn(columns),
  packages: ({ columns, file }) => packagesIn(columns, file),
  sentences: ({ columns }) => sentencesIn(columns),
};

const problems = [];
const missing = new Set(definitions.keys());
const unlisted = new Set(declarations.keys());
for (const file of documents) {
  const text = readFileSync(file, 'utf8');
  if (text.search(PART) === -1) {
    continue;
  }
  const generated = text.replaceAll(PART, (_, begin, kind, name, columns, given) => {
    if (kind === 'endpoints') {
      unlisted.delete(name);
    }
    if (columns === 'reference') {
      missing.delete(name);
    }
    return `${begin}\n${parts[kind]({ name, columns, file, given: given.trim() })}\n\n`;
  });
  const wanted = await prettier.format(generated, {
    ...(await prettier.resolveConfig(file)),
    filepath: file,
  });
  for (const [, , kind, , , rows] of wanted.matchAll(PART)) {
    const long =
      !UNALIGNED.has(kind) && rows.split('\n').find((line) => line.startsWith('|') && line.length > MAX_LINE);
    if (long) {
      problems.push(`${file}: a line is longer than ${MAX_LINE} characters: ${long}`);
    }
  }
  if (wanted !== text && process.argv.includes('--check')) {
    problems.push(`${file}: the sources have changed: run node .ci/reference.mjs`);
  } else if (wanted !== text) {
    writeFileSync(file, wanted);
  }
}
missing.forEach((name) =>
  problems.push(`docs/reference/configuration.md has no <!-- options of ${name}: reference -->`),
);
unlisted.forEach((name) =>
  problems.push(`docs/reference/endpoints.md has no <!-- endpoints of ${name}: ... -->`),
);
problems.forEach((problem) => console.error(problem));
process.exitCode = problems.length === 0 ? 0 : 1;
