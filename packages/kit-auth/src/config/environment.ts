import { allDefinitions, variableOf, WARNINGS } from './define-options.js';
import { nearest } from './nearest.js';
import { Option, parseBoolean, type Shape, Switchable } from './option.js';

/**
 * Reads the options of all loaded packages from the environment. Strings that cannot be parsed are kept, so that the
 * check names their keys. A variable that is set but empty counts: an empty secret must not become the placeholder. The
 * result has a warning about every unknown variable that begins with `KIT_AUTH_`.
 */
export function readEnvironment(): object {
  const options: Record<string | symbol, unknown> = {};
  for (const { shape, name, group } of allDefinitions()) {
    const values = read(shape, name);
    if (values !== undefined) {
      Object.assign(options, group === undefined ? values : { [group]: values });
    }
  }
  const warnings = unknownVariables();
  return warnings.length === 0 ? options : { ...options, [WARNINGS]: warnings };
}

function read(shape: Shape, path: string): object | undefined {
  const values = Object.entries(shape)
    .map(([name, node]) => [name, readNode(node, `${path}.${name}`)] as const)
    .filter(([, value]) => value !== undefined);
  return values.length === 0 ? undefined : Object.fromEntries(values);
}

function readNode(node: Shape[string], key: string): unknown {
  const text = process.env[variableOf(key)];
  if (node instanceof Option) {
    return text === undefined ? undefined : node.rules.parse?.(text);
  }
  if (!(node instanceof Switchable)) {
    return read(node, key);
  }
  const isOn = text === undefined ? undefined : parseBoolean(text);
  return isOn === undefined || isOn === true ? (read(node.shape, key) ?? isOn) : isOn;
}

/** These warnings name the variable, never its value. */
function unknownVariables(): string[] {
  const rows = allDefinitions().flatMap((definition) => definition.rows);
  const all = rows.map(({ variable }) => variable);
  const known = rows.filter((row) => row.isInEnvironment).map(({ variable }) => variable);
  // Windows finds a variable whatever the case of its name.
  const isKnown = (name: string) => known.includes(process.platform === 'win32' ? name.toUpperCase() : name);
  return Object.keys(process.env)
    .filter((name) => /^KIT_AUTH_/i.test(name) && !isKnown(name))
    .map((name) => {
      const ignored = `the environment variable ${name} is ignored`;
      if (all.includes(name)) {
        return `${ignored}: this option can only be set in code`;
      }
      const meant = nearest(name.toUpperCase(), known);
      return `${ignored}: there is no such option${meant === undefined ? '' : `; did you mean ${meant}?`}`;
    });
}
