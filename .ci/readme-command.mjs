// Prints the one command of the README that ends with the words given, so that CI runs what readers run.
import { readFileSync } from 'node:fs';

const ending = process.argv[2];
const commands = [...readFileSync('README.md', 'utf8').matchAll(/^```sh\n(.*?)^```/gms)]
  .flatMap(([, block]) => block.split('\n'))
  .filter((line) => line.endsWith(ending));
if (commands.length !== 1) {
  console.error(`The README has ${commands.length} commands that end with "${ending}", not one.`);
  process.exit(1);
}
console.log(commands[0]);
