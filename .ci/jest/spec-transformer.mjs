import swcJest from '@swc/jest';

/** A comment with this word gives a spec file a context of its own: it replaces modules, or awaits at the top level. */
export const OWN_CONTEXT = '@own-context';

const IMPORTS = /^(?:(?:\/\/.*|\/\*[^]*?\*\/|\s)*import\b[^;]*;)*/;

/**
 * Compiles spec files, for a context that they share. What follows the imports comes into a `describe()`, so that hooks at
 * the top level apply to this file only. Its end restores what the file mocked.
 */
function createTransformer(options) {
  const swc = swcJest.createTransformer(options);
  return {
    process: (source, path, settings) => swc.process(wrapped(source, path), path, settings),
    processAsync: (source, path, settings) => swc.processAsync(wrapped(source, path), path, settings),
    getCacheKey: (source, path, settings) => swc.getCacheKey(wrapped(source, path), path, settings),
  };
}

export default { createTransformer };

const BEGIN = "import * as ownJest from '@jest/globals'; ownJest.describe";
const END = 'ownJest.afterAll(() => { ownJest.jest.restoreAllMocks(); ownJest.jest.useRealTimers(); });';

/** Adds no line before the end, so that the lines of an error are those of the file. */
function wrapped(source, path) {
  if (source.includes(OWN_CONTEXT)) {
    return source;
  }
  const { length } = IMPORTS.exec(source)[0];
  const body = source.slice(length);
  return `${source.slice(0, length)} ${BEGIN}(${JSON.stringify(path)}, () => {${body}\n${END}\n});\n`;
}
