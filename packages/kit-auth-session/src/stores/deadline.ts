/**
 * Bounds how long a call to a server may take, and how many may be under way: a server that has gone silent makes
 * callers neither wait nor queue up.
 */
export class Deadline {
  private underWay = 0;

  constructor(
    private readonly what: string,
    private readonly milliseconds: number,
    private readonly most = 1000,
  ) {}

  /** Rejects when the call takes too long, or when too many are under way already. */
  async within<T>(call: () => Promise<T>): Promise<T> {
    if (this.underWay >= this.most) {
      throw new Error(`${this.what} has ${this.most} calls to answer`);
    }
    this.underWay++;
    const answer = call().finally(() => this.underWay--);
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(new Error(`${this.what} gave no answer in ${this.milliseconds} ms`)),
        this.milliseconds,
      );
    });
    try {
      return await Promise.race([answer, silence]);
    } finally {
      clearTimeout(timer);
    }
  }
}
