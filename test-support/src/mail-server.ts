import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Email } from 'postal-mime';
import type { SMTPServer, SMTPServerOptions, SMTPServerSession } from 'smtp-server';

/** A mail that has arrived. */
export interface ReceivedMail {
  /** The addresses of the SMTP envelope, which may differ from those in the header. */
  from: string;
  to: string[];
  subject: string;
  text: string;
  html: string;
  /** The first `http:` or `https:` URL of the text. */
  link: string | undefined;
  /** The values of a header, of which there should be one. */
  header: (name: string) => string[];
  /** Whether the connection was encrypted, and who logged in. */
  secure: boolean;
  user: string | undefined;
  /** The mail as it was sent. */
  raw: string;
  parsed: Email;
}

/**
 * A real SMTP server on its own port, without TLS and logins unless the options enable them.
 *
 * @example
 * ```ts
 * const server = await MailServer.start();
 * afterAll(() => server.close());
 * const mail = await server.waitFor(({ to }) => to.includes('ann@example.com'));
 * ```
 */
export class MailServer {
  readonly mails: ReceivedMail[] = [];
  /** How many mails were sent to the server, including refused ones. */
  attempts = 0;
  /** The port, also after `close()`, when the server no longer listens. */
  port = 0;
  private answer: 'accept' | 'hang' | number = 'accept';
  private readonly held: (() => void)[] = [];
  private readonly listeners = new Set<() => void>();
  private server!: SMTPServer;

  private constructor() {}

  static async start(options: SMTPServerOptions = {}): Promise<MailServer> {
    const [{ SMTPServer }, { default: PostalMime }] = await Promise.all([
      import('smtp-server'),
      import('postal-mime'),
    ]);
    const self = new MailServer();
    self.server = new SMTPServer({
      logger: false,
      disabledCommands: ['STARTTLS', 'AUTH'],
      disableReverseLookup: true,
      closeTimeout: 1,
      onRcptTo: (_address, _session, callback) => self.decide(callback),
      onData: (stream, session, callback) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const raw = Buffer.concat(chunks);
          void PostalMime.parse(raw).then((parsed) => {
            self.mails.push(received(raw.toString(), parsed, session));
            self.listeners.forEach((listener) => listener());
            callback();
          }, callback);
        });
      },
      ...options,
    });
    self.server.on('error', () => undefined); // a client has gone
    self.server.listen(0, '127.0.0.1');
    await once(self.server.server, 'listening');
    self.port = (self.server.server.address() as AddressInfo).port;
    return self;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** How many clients are connected. */
  get connections(): number {
    return this.server.connections.size;
  }

  /** Stops answering recipients, until `accept()` or `reject()`. */
  hang(): void {
    this.answer = 'hang';
  }

  /** Refuses all recipients from now on. The answer contains the address, like those of many servers. */
  reject(code = 550): void {
    this.answer = code;
    this.release();
  }

  accept(): void {
    this.answer = 'accept';
    this.release();
  }

  /** Resolves with the first matching mail, among those that have arrived and those that will. */
  waitFor(
    fits: (mail: ReceivedMail) => boolean = () => true,
    withinMilliseconds = 10_000,
  ): Promise<ReceivedMail> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        this.listeners.delete(look);
      };
      const look = () => {
        const mail = this.mails.find(fits);
        if (mail) {
          end();
          resolve(mail);
        }
      };
      const timer = setTimeout(() => {
        end();
        const subjects = this.mails.map(({ to, subject }) => `${to.join()}: ${subject}`);
        reject(new Error(`no such mail among ${this.mails.length}:\n${subjects.join('\n')}`));
      }, withinMilliseconds);
      this.listeners.add(look);
      look();
    });
  }

  /** Forgets the mails that have arrived. */
  clear(): void {
    this.mails.length = 0;
    this.attempts = 0;
  }

  async close(): Promise<void> {
    this.release();
    await new Promise<void>((resolve) => this.server.close(resolve));
  }

  private decide(callback: (error?: Error) => void): void {
    this.attempts++;
    if (this.answer === 'hang') {
      this.held.push(() => callback());
    } else if (this.answer === 'accept') {
      callback();
    } else {
      callback(Object.assign(new Error('No such user'), { responseCode: this.answer }));
    }
  }

  private release(): void {
    this.held.splice(0).forEach((go) => go());
  }
}

function received(raw: string, parsed: Email, session: SMTPServerSession): ReceivedMail {
  const { mailFrom, rcptTo } = session.envelope;
  const text = parsed.text ?? '';
  return {
    from: mailFrom === false ? '' : mailFrom.address,
    to: rcptTo.map(({ address }) => address),
    subject: parsed.subject ?? '',
    text,
    html: parsed.html ?? '',
    link: /https?:\/\/[^\s<>"),;]+/.exec(text)?.[0],
    header: (name) =>
      parsed.headers.filter(({ key }) => key === name.toLowerCase()).map((header) => header.value),
    secure: session.secure,
    user: session.user as string | undefined,
    raw,
    parsed,
  };
}
