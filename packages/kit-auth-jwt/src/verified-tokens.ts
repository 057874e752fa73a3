import { LRUCache } from 'lru-cache';

/** Enough for about 15,000 tokens of usual size. */
const MAX_CHARACTERS = 6_291_456;

/**
 * Caches the results of verified tokens. Bounded by the total length of the tokens. Evicts the least recently used
 * ones.
 */
export class VerifiedTokens<T extends object> {
  private readonly results = new LRUCache<string, T>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_result, token) => token.length,
  });

  get(token: string): T | undefined {
    return this.results.get(token);
  }

  add(token: string, result: T): void {
    this.results.set(token, result);
  }
}
