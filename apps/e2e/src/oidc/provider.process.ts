import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';

const SCRIPT = join(import.meta.dirname, 'provider.mjs');

/** Who logs in next at the provider, and how. */
export interface NextLogin {
  readonly sub?: string;
  /** Whether the user refuses. */
  readonly deny?: boolean;
  readonly amr?: readonly string[];
  readonly acr?: string;
  /** Claims by `sub`. Default: the verified address `<sub>@example.com`. */
  readonly accounts?: Readonly<Record<string, object>>;
}

/** A real provider, `oidc-provider`, in a process of its own. */
export class ProviderProcess {
  private child: ChildProcess | undefined;
  issuer = '';

  /**
   * @param options `clients` as `oidc-provider` takes them. With the host 127.0.0.1, it is another site than localhost.
   * `resources` are the APIs that it issues access tokens for, with their scopes
   */
  async start(options: {
    clients: readonly object[];
    host?: string;
    resources?: Readonly<Record<string, string>>;
  }): Promise<void> {
    const child = fork(SCRIPT, [JSON.stringify(options)], { silent: true });
    this.child = child;
    const lines: string[] = [];
    child.stderr?.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
    const [chunk] = (await Promise.race([
      once(child.stdout!, 'data'),
      once(child, 'exit').then(() => {
        throw new Error(`the provider has ended: ${lines.join('')}`);
      }),
    ])) as [Buffer];
    this.issuer = chunk.toString().trim();
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (child !== undefined && child.exitCode === null) {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    }
  }

  async next(login: NextLogin): Promise<void> {
    await fetch(`${this.issuer}/control`, { method: 'POST', body: JSON.stringify(login) });
  }
}

/** For the body of a `describe`. */
export function sharedProvider(options: Parameters<ProviderProcess['start']>[0]): ProviderProcess {
  const provider = new ProviderProcess();
  beforeAll(() => provider.start(options));
  afterAll(() => provider.stop());
  return provider;
}
