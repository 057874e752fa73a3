import swc from 'unplugin-swc';
import { defineConfig } from 'vitest/config';

// As in the recipe of Nest's documentation for SWC. As TypeScript, it would move the build to dist/src.
export default defineConfig({
  test: { globals: true, include: ['**/*.{spec,e2e-spec}.ts'] },
  plugins: [swc.vite({ module: { type: 'es6' } })],
});
