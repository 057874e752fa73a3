/** A client that has not sent its first message. */
export interface SilentClient {
  readonly network: string;
  /** Called when the client loses its place. */
  readonly displace: () => void;
}

/** The clients of a network, oldest first, each with its number in the order of all clients. */
type Network = Map<SilentClient, number>;

/**
 * The places of silent clients. One network has at most half of them. If there is none for a new client, the oldest one of
 * the largest network loses its own: honest clients are silent for a moment only.
 */
export class SilentClients {
  /** None is empty. */
  private readonly networks = new Map<string, Network>();
  private readonly share: number;
  private taken = 0;
  private count = 0;

  constructor(private readonly places: number) {
    this.share = Math.ceil(places / 2);
  }

  add(client: SilentClient): void {
    const own: Network = this.networks.get(client.network) ?? new Map<SilentClient, number>();
    this.networks.set(client.network, own.set(client, this.count++));
    this.taken++;
    if (own.size > this.share) {
      this.displace(own);
    } else if (this.taken > this.places) {
      this.displace([...this.networks.values()].reduce((a, b) => (goesFirst(b, a) ? b : a)));
    }
  }

  /** Does nothing for a client that has no place. */
  remove(client: SilentClient): void {
    const own = this.networks.get(client.network);
    if (own?.delete(client) !== true) {
      return;
    }
    this.taken--;
    if (own.size === 0) {
      this.networks.delete(client.network);
    }
  }

  private displace(network: Network): void {
    const { client } = oldestOf(network);
    this.remove(client);
    client.displace();
  }
}

function goesFirst(a: Network, b: Network): boolean {
  return a.size > b.size || (a.size === b.size && oldestOf(a).number < oldestOf(b).number);
}

function oldestOf(network: Network): { client: SilentClient; number: number } {
  const [[client, number]] = network as unknown as [[SilentClient, number]];
  return { client, number };
}
