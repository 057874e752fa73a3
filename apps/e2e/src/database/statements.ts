import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import { PeriodicCleaner } from 'kit-auth/tools';
import { sqliteInMemory } from 'test-support';
import { AbstractLogger } from 'typeorm';

// Where statements are counted, nothing is cleaned up at random times.
PeriodicCleaner.prototype.start = () => undefined;

/** Notes every statement that an application has run. */
export class Statements extends AbstractLogger {
  readonly seen: { text: string; parameters: unknown[] }[] = [];

  override logQuery(text: string, parameters: unknown[] = []): void {
    this.seen.push({ text, parameters });
  }

  /** The statements that a call runs. */
  async of(call: () => Promise<unknown>): Promise<string[]> {
    this.seen.length = 0;
    await call();
    return this.seen.map(({ text }) => text);
  }

  /** The options of a database whose statements are noted. Default: one in memory. */
  on({ options } = { options: sqliteInMemory() }): TypeOrmModuleOptions {
    return { ...options, logger: this, logging: true };
  }

  protected override writeLog(): void {
    // What is slow or wrong shows in the test.
  }
}
