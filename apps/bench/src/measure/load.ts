import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Load {
  requests: number;
  seconds: number;
  /** Milliseconds, ascending. */
  latencies: Float64Array;
}

const CONNECTIONS = 16;
const MOST_REQUESTS = 200_000;

/**
 * Keep-alive connections, each of which sends its next request when it has the answer to the last. Written for the
 * purpose: general load generators take more time for a request than the servers that are measured.
 */
export class LoadGenerator {
  private constructor(private readonly connections: readonly Connection[]) {}

  static async open(port: number, connections = CONNECTIONS): Promise<LoadGenerator> {
    return new LoadGenerator(
      await Promise.all(Array.from({ length: connections }, () => Connection.open(port))),
    );
  }

  /**
   * @param next the bytes of the next request
   * @param status what every answer has to be
   * @param pauseMilliseconds between an answer and the next request; none in general
   */
  async run(next: () => Buffer, status: number, milliseconds: number, pauseMilliseconds = 0): Promise<Load> {
    const latencies = new Float64Array(MOST_REQUESTS);
    const begin = performance.now();
    const end = begin + milliseconds;
    let requests = 0;
    await Promise.all(
      this.connections.map((connection) =>
        connection.loop(next, status, pauseMilliseconds, (milliseconds, now) => {
          latencies[requests++] = milliseconds;
          return now < end && requests < MOST_REQUESTS;
        }),
      ),
    );
    return {
      requests,
      seconds: (performance.now() - begin) / 1000,
      latencies: latencies.subarray(0, requests).sort(),
    };
  }

  close(): void {
    this.connections.forEach((connection) => connection.close());
  }
}

class Connection {
  /** The length of an answer of the current slice; they are all alike. */
  private answerLength = 0;

  private constructor(private readonly socket: Socket) {}

  static async open(port: number): Promise<Connection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket);
  }

  close(): void {
    this.socket.destroy();
  }

  /** @param answered told of every answer; false ends the loop */
  loop(
    next: () => Buffer,
    status: number,
    pauseMilliseconds: number,
    answered: (milliseconds: number, now: number) => boolean,
  ): Promise<void> {
    const { socket } = this;
    const statusLine = `HTTP/1.1 ${status} `;
    this.answerLength = 0;
    return new Promise((resolve, reject) => {
      let sentAt = 0;
      let received: Buffer | undefined;
      const send = () => {
        sentAt = performance.now();
        socket.write(next());
      };
      const finish = (settle: () => void) => {
        socket.off('data', onData).off('close', onClose).off('error', onClose);
        settle();
      };
      const onClose = () => finish(() => reject(new Error('the server closed a connection')));
      const onData = (chunk: Buffer) => {
        received = received === undefined ? chunk : Buffer.concat([received, chunk]);
        if (!this.isWhole(received)) {
          return;
        }
        if (!received.toString('latin1', 0, statusLine.length).startsWith(statusLine)) {
          const text = received.toString('latin1');
          finish(() => reject(new Error(`expected ${status}, received:\n${text}`)));
          return;
        }
        received = undefined;
        const now = performance.now();
        if (answered(now - sentAt, now)) {
          if (pauseMilliseconds === 0) {
            send();
          } else {
            setTimeout(send, pauseMilliseconds);
          }
        } else {
          finish(resolve);
        }
      };
      socket.on('data', onData).on('close', onClose).on('error', onClose);
      send();
    });
  }

  private isWhole(received: Buffer): boolean {
    if (received.length === this.answerLength) {
      return true;
    }
    const head = received.indexOf('\r\n\r\n');
    const length = /\r\ncontent-length: (\d+)/i.exec(received.toString('latin1', 0, head))?.[1];
    if (head < 0) {
      return false;
    }
    if (length === undefined) {
      throw new Error(`an answer without a length:\n${received.toString('latin1')}`);
    }
    const whole = head + 4 + Number(length);
    if (received.length === whole) {
      this.answerLength = whole;
    }
    return received.length === whole;
  }
}
