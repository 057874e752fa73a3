// Draws the pictures of the documents as docs/pictures/*.svg, light and dark. What they show is in .ci/pictures.
// With --check it changes nothing, and fails if a picture is not up to date.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { login, origins, request } from './pictures/journeys.mjs';
import { provider, refresh, stepUp } from './pictures/exchanges.mjs';
import { rotation } from './pictures/rotation.mjs';
import { tables } from './pictures/tables.mjs';

const FOLDER = 'docs/pictures';
const pictures = new Map(
  Object.entries({ request, login, origins, provider, refresh, rotation, 'step-up': stepUp, tables }).map(
    ([name, picture]) => [`${name}.svg`, picture],
  ),
);

mkdirSync(FOLDER, { recursive: true });
const outdated = [
  ...[...pictures].filter(([file, picture]) => {
    const path = `${FOLDER}/${file}`;
    return !existsSync(path) || readFileSync(path, 'utf8') !== picture;
  }),
  ...readdirSync(FOLDER)
    .filter((file) => file.endsWith('.svg') && !pictures.has(file))
    .map((file) => [file, undefined]),
];
for (const [file, picture] of outdated) {
  if (process.argv.includes('--check')) {
    console.error(`${FOLDER}/${file} is not up to date: run node .ci/pictures.mjs`);
    process.exitCode = 1;
  } else if (picture === undefined) {
    rmSync(`${FOLDER}/${file}`);
  } else {
    writeFileSync(`${FOLDER}/${file}`, picture);
  }
}
console.log(`${pictures.size} pictures, ${outdated.length} outdated`);
