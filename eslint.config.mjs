import { primaryReads } from './.ci/primary-reads.mjs';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

/** One program for each of them, which takes two thirds of the time of `projectService`. */
const PROJECTS = ['./tsconfig.json', './apps/bench/tsconfig.json'];

export default tseslint.config(
  // The examples have their own dependencies; .ci/examples compiles them.
  { ignores: ['**/dist/**', '**/node_modules/**', '.nx/**', 'apps/demo/data/**', 'examples/**'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { project: PROJECTS, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // Nest modules and controllers may be empty classes.
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // Nest declares some options as classes and takes literals.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // The contract asks for promises; some implementations have nothing to wait for.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      'no-console': 'error',
    },
  },
  {
    files: ['packages/*/src/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    plugins: { 'kit-auth': { rules: { 'primary-reads': primaryReads } } },
    rules: { 'kit-auth/primary-reads': 'error' },
  },
  {
    // Specs do on purpose what these rules prevent in a program.
    files: ['**/*.spec.ts', 'apps/e2e/**/*.ts', 'test-support/**/*.ts'],
    rules: Object.fromEntries(
      [
        'no-explicit-any',
        'no-unsafe-argument',
        'no-unsafe-assignment',
        'no-unsafe-call',
        'no-unsafe-return',
        'no-unsafe-member-access',
        'no-unsafe-enum-assignment',
        'no-non-null-assertion',
        'no-base-to-string',
        'only-throw-error',
        'prefer-promise-reject-errors',
        'no-misused-spread',
        'restrict-plus-operands',
        'no-unnecessary-type-parameters',
      ].map((rule) => [`@typescript-eslint/${rule}`, 'off']),
    ),
  },
  {
    files: ['**/*.{spec,suite}.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name=/^(describe|it|test)$/][property.name='only']",
          message: 'It would skip the other spec files of its group, too.',
        },
        {
          selector: 'CallExpression[callee.property.name=/^(clearAllMocks|resetAllMocks|resetModules)$/]',
          message: 'It would reset the mocks of the other spec files of its group, too. Reset your own.',
        },
        {
          selector: 'CallExpression[callee.property.name=/MatchingSnapshot$|^toMatchSnapshot$/]',
          message: 'Snapshots are stored beside the file of a group, which is temporary. Use toEqual().',
        },
      ],
    },
  },
  { files: ['apps/demo/src/main.ts', 'apps/bench/src/{main,compare}.ts'], rules: { 'no-console': 'off' } },
  prettier,
);
