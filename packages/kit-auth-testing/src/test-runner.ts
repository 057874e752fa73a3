/** The globals that Jest, Mocha and Vitest (`globals: true`) have in common. */
interface TestRunner {
  describe: (name: string, body: () => void) => void;
  it: (name: string, body: () => Promise<void>) => void;
}

/** @throws Error without the globals `describe` and `it` */
export function testRunner(): TestRunner {
  const { describe, it } = globalThis as unknown as Partial<TestRunner>;
  if (describe === undefined || it === undefined) {
    throw new Error(
      'The suites of kit-auth-testing need the globals describe and it (Vitest: globals: true).',
    );
  }
  return { describe, it };
}
