import { run } from './run.mjs';

/** The transformer of jest.config.ts, with the mutants of the source before it. */
export default {
  async createTransformer({ transformer, options }) {
    const module = await import(transformer);
    const inner = (module.default ?? module).createTransformer(options);
    const mutated = (source, file) => run.texts.get(file) ?? source;
    return {
      ...inner,
      process: (source, file, jest) => inner.process(mutated(source, file), file, jest),
      processAsync: (source, file, jest) => inner.processAsync(mutated(source, file), file, jest),
      getCacheKey: (source, file, jest) => inner.getCacheKey(mutated(source, file), file, jest),
    };
  },
};
