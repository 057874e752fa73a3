import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globals: true,
    include: ['test/**/*.e2e-spec.ts'],
    testTimeout: 30_000,
    env: { JWT_SECRET: 'a secret of the tests, more than 32 bytes' },
  },
});
