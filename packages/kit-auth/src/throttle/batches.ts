interface Batch<T> {
  points: number;
  result: Promise<T>;
}

/** Runs the calls for one key one after another. Calls that are waiting are merged into one. */
export class Batches<T> {
  private readonly waiting = new Map<string, Batch<T>>();
  private readonly running = new Map<string, Promise<unknown>>();

  /**
   * @param call runs once for a batch, with the sum of its points
   * @returns the result of the call, and how many points joined the batch after these
   */
  async join(
    key: string,
    points: number,
    call: (points: number) => Promise<T>,
  ): Promise<{ result: T; after: number }> {
    const batch = this.waiting.get(key) ?? this.open(key, call);
    batch.points += points;
    const soFar = batch.points;
    return { result: await batch.result, after: batch.points - soFar };
  }

  private open(key: string, call: (points: number) => Promise<T>): Batch<T> {
    const batch = { points: 0 } as Batch<T>;
    batch.result = (this.running.get(key) ?? Promise.resolve()).then(() => {
      this.waiting.delete(key);
      return call(batch.points);
    });
    const ended = batch.result
      .catch(() => undefined)
      .then(() => {
        if (this.running.get(key) === ended) {
          this.running.delete(key);
        }
      });
    this.running.set(key, ended);
    this.waiting.set(key, batch);
    return batch;
  }
}
