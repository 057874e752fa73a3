/** What Jest, Vitest and Mocha have in common, as globals. */
interface TestRunner {
  describe: (name: string, body: () => void) => void;
  it: (name: string, body: () => Promise<void>) => void;
}

/** @throws Error where no runner has put `describe` and `it` into the global scope */
export function testRunner(): TestRunner {
  const { describe, it } = globalThis as unknown as Partial<TestRunner>;
  if (describe === undefined || it === undefined) {
    throw new Error(
      'The suites of kit-auth-testing need the globals describe and it (Vitest: globals: true).',
    );
  }
  return { describe, it };
}
