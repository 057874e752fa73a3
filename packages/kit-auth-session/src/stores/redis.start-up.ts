import { setTimeout } from 'node:timers/promises';
import { IllegalStateException } from 'kit-auth';
import { Deadline, describeError } from 'kit-auth/tools';
import { isReply, type RedisCommands } from './redis.client.js';

const START_UP_MS = 5000;
const RETRY_MS = 100;

const CLIENTS =
  "import { createClient } from 'redis'; new RedisSessionStore({ client: await createClient({ url }).connect() }), or " +
  "import { Redis } from 'ioredis'; new RedisSessionStore({ client: new Redis(url) })";

/** Error answers of the server, and what to do about them. */
const CURES: readonly (readonly [RegExp, string])[] = [
  [/^READONLY/, 'The server is a replica: pass a client of the primary.'],
  [/^MOVED/, 'The server is a node of a cluster: pass a client of createCluster(), or a Cluster of ioredis.'],
  [/^NOAUTH/, 'Pass the username and the password to the client, or in the url.'],
  [
    /^NOPERM|ACL failure|The user executing the script/,
    'Give the user of the connection the commands and keys that the guide on Redis lists.',
  ],
];
const OTHERWISE = 'The guide on Redis lists what the store needs.';

/** The answer will change soon: the server is starting, or the cluster elects a primary. */
const SOON = /^(LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY) /;
/** There is no memory for new sessions. Existing sessions work. */
const FULL = /^OOM /;

/** Methods that some clients, pools and wrappers lack. */
type Client = RedisCommands & { readonly isOpen?: boolean; ping?(): Promise<unknown> };

/**
 * Checks once whether the store can use a client. Waits up to five seconds for a client that reconnects.
 *
 * @param runScript runs a script as the store does. @returns whether the answer is right
 * @throws IllegalStateException that says what is wrong, and the cure
 */
export async function checkClient(client: Client, runScript: () => Promise<boolean>): Promise<void> {
  const { hmGet, eval: run } = client as Partial<Client>;
  if (typeof hmGet !== 'function' || typeof run !== 'function') {
    throw problem(
      `the client is neither one of redis, with hmGet() and eval(), nor one of ioredis. Pass one: ${CLIENTS}`,
    );
  }
  let latest: unknown;
  let isOver = false;
  const ask = async (): Promise<boolean> => {
    while (!isOver) {
      try {
        await client.ping?.();
        return await runScript();
      } catch (error) {
        latest = error;
        if (client.isOpen === false || (isReply(error) && !SOON.test(error.message))) {
          throw error;
        }
        await setTimeout(RETRY_MS);
      }
    }
    return false; // no caller waits for it any more
  };
  const isRight = await new Deadline('Redis', START_UP_MS)
    .within(ask)
    .catch((error: unknown) => {
      if (isReply(error) && FULL.test(error.message)) {
        return true;
      }
      throw problemOf(error, client, latest);
    })
    .finally(() => (isOver = true));
  if (!isRight) {
    throw problem(`the client changes the answers of Redis. Pass one without legacyMode: ${CLIENTS}`);
  }
}

function problemOf(error: unknown, client: Client, latest: unknown): IllegalStateException {
  if (client.isOpen === false) {
    return problem(
      'the client is not connected. Connect it before the application starts: await client.connect()',
      error,
    );
  }
  if (isReply(error)) {
    const [, cure = OTHERWISE] = CURES.find(([reply]) => reply.test(error.message)) ?? [];
    return problem(`Redis answers "${error.message}". ${cure}`, error);
  }
  const why = latest === undefined ? '' : ` (${describeError(latest)})`;
  return problem(
    `${(error as Error).message}${why}. Check that the server runs, and that the client reaches it.`,
    latest,
  );
}

function problem(text: string, cause?: unknown): IllegalStateException {
  return new IllegalStateException(`RedisSessionStore: ${text}`, { cause });
}
