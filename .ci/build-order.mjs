// Fails if projects depend on each other in a circle: `nx build` of one package, as `prepack` runs it, then fails.
// `nx run-many` of all packages does not notice.
import { execFileSync } from 'node:child_process';

const output = execFileSync('npx', ['--no', 'nx', 'graph', '--print'], {
  encoding: 'utf8',
  maxBuffer: 2 ** 28,
});
const { dependencies } = JSON.parse(output).graph;

/** The projects that are left when those whose dependencies can be built have been built, one after the other. */
function blocked(projects) {
  const rest = projects.filter((name) => dependencies[name].some(({ target }) => projects.includes(target)));
  return rest.length === projects.length ? rest : blocked(rest);
}

const circle = blocked(Object.keys(dependencies));
if (circle.length > 0) {
  console.error(`These projects depend on each other in a circle, or on such a circle: ${circle.join(', ')}`);
  process.exit(1);
}
