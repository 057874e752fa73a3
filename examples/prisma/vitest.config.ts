import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globals: true,
    include: ['test/**/*.e2e-spec.ts'],
    testTimeout: 30_000,
    fileParallelism: false, // the files share a database
    env: {
      DATABASE_URL: process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/example_prisma',
      KIT_AUTH_JWT_SECRET: 'a secret of the tests, more than 32 bytes',
      KIT_AUTH_JWT_CHECK_STAMP: '0', // look at the stamp on every request
      KIT_AUTH_DEFAULT_ADMIN_USERNAME: 'admin@example.com',
      KIT_AUTH_DEFAULT_ADMIN_PASSWORD: 'the first password of all',
      KIT_AUTH_PASSWORD_COST: '10',
    },
  },
});
