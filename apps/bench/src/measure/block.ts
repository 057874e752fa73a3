import { busyTimeOf } from './cpu.js';
import { type Load, LoadGenerator } from './load.js';
import type { PeerName } from '../peers/index.js';
import { CLIENT_CORE, cpuTimeOfClients } from './servers.js';
import { ServerProcess } from './server-process.js';
import { quantile, type Spread, spreadOf } from './statistics.js';
import { bearer, eddsaJwt, forgedJwt, jwt, TOKENS } from './tokens.js';

/** What clients send: valid tokens, wrong ones, or none. */
export type Scenario =
  'one token' | '10,000 tokens' | 'new tokens' | 'no token' | 'forged tokens' | 'open route';

export interface Participant {
  peer: PeerName;
  scenarios: readonly Scenario[];
  settings?: Record<string, string>;
  /** How its JWTs are signed. Default `HS256`. */
  alg?: 'EdDSA';
}

/** A floor and up to three peers, measured in turn. */
export interface Block {
  /** How many slices go by before the first that counts, for each participant and scenario. Default one half. */
  warmUp?: number;
  floor: PeerName;
  participants: readonly Participant[];
}

export interface Pace {
  rounds: number;
  sliceMilliseconds: number;
}

export interface Cost {
  peer: PeerName;
  scenario: Scenario;
  /** Microseconds of CPU for a request, beyond those of the floor in the same round. */
  microseconds: Spread;
  requestsPerSecond: number;
  p50: number;
  p99: number;
  /** Slices that other processes disturbed, again and again. */
  disturbed: number;
}

interface Slice {
  microseconds: number;
  load: Load;
  disturbed: boolean;
}

const SERVER_CORE = 0;
/** The share of a slice that others may have of a core. */
const DISTURBED = 0.1;
const ATTEMPTS = 2;
const ANSWERS: Partial<Record<Scenario, number>> = { 'no token': 401, 'forged tokens': 401 };

/** What the floor is sent meanwhile: a header costs something also where nobody reads it. */
function floorOf(scenario: Scenario): Scenario {
  return scenario === 'no token' || scenario === 'open route' ? 'open route' : '10,000 tokens';
}

/** Measures a block: fresh processes, a warm-up, then rounds of one slice for each participant and scenario. */
export async function measure(
  { floor, participants, warmUp = 0.5 }: Block,
  { rounds, sliceMilliseconds }: Pace,
): Promise<Cost[]> {
  const bare = {
    peer: floor,
    scenarios: [...new Set(participants.flatMap((participant) => participant.scenarios.map(floorOf)))],
  };
  const subjects = await startAll([bare, ...participants]);
  try {
    const cells = subjects.flatMap((subject) =>
      subject.participant.scenarios.map((scenario) => ({ subject, scenario, slices: [] as Slice[] })),
    );
    for (const { subject, scenario } of cells) {
      await subject.slice(scenario, sliceMilliseconds * warmUp);
    }
    for (let round = 0; round < rounds; round++) {
      for (const { subject, scenario, slices } of cells) {
        slices.push(await subject.undisturbed(scenario, sliceMilliseconds));
      }
    }
    const floors = cells.filter(({ subject }) => subject === subjects[0]);
    return cells.slice(floors.length).map(({ subject, scenario, slices }) => {
      const bareSlices = floors.find((floor) => floor.scenario === floorOf(scenario))?.slices ?? [];
      const costs = slices.map(
        (slice, round) => slice.microseconds - (bareSlices[round]?.microseconds ?? NaN),
      );
      return {
        peer: subject.participant.peer,
        scenario,
        microseconds: spreadOf(costs),
        requestsPerSecond: medianOf(slices, ({ load }) => load.requests / load.seconds),
        p50: medianOf(slices, ({ load }) => quantile(load.latencies, 0.5)),
        p99: medianOf(slices, ({ load }) => quantile(load.latencies, 0.99)),
        disturbed: slices.filter((slice, round) => slice.disturbed || bareSlices[round]?.disturbed).length,
      };
    });
  } finally {
    await Promise.all(subjects.map((subject) => subject.stop()));
  }
}

function medianOf(slices: readonly Slice[], value: (slice: Slice) => number): number {
  return spreadOf(slices.map(value)).median;
}

/** All of them, or none. */
async function startAll(participants: readonly Participant[]): Promise<Subject[]> {
  const starts = await Promise.allSettled(participants.map((participant) => Subject.start(participant)));
  const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const failed = starts.find((start) => start.status === 'rejected');
  if (failed !== undefined) {
    await Promise.all(started.map((subject) => subject.stop()));
    throw failed.reason;
  }
  return started;
}

class Subject {
  private count = 0;
  private readonly valid: Buffer[];
  private readonly forged: Buffer[];
  private readonly jwt: (number: number) => string;

  private constructor(
    readonly participant: Participant,
    private readonly server: ServerProcess,
    private readonly generator: LoadGenerator,
  ) {
    const { headers } = server.ready;
    this.jwt = participant.alg === 'EdDSA' ? eddsaJwt : jwt;
    const own = headers.length > 0 ? headers : numbers(TOKENS).map((number) => bearer(this.jwt(number)));
    this.valid = own.map((header) => request('/v1/hello', header));
    this.forged = participant.scenarios.includes('forged tokens')
      ? numbers(TOKENS).map((number) => request('/v1/hello', bearer(forgedJwt(number))))
      : [];
  }

  static async start(participant: Participant): Promise<Subject> {
    const { peer, settings = {} } = participant;
    const server = await ServerProcess.start(peer, { settings, core: SERVER_CORE });
    return new Subject(participant, server, await LoadGenerator.open(server.ready.port));
  }

  async undisturbed(scenario: Scenario, milliseconds: number): Promise<Slice> {
    let slice = await this.slice(scenario, milliseconds);
    for (let attempt = 1; slice.disturbed && attempt < ATTEMPTS; attempt++) {
      slice = await this.slice(scenario, milliseconds);
    }
    return slice;
  }

  async slice(scenario: Scenario, milliseconds: number): Promise<Slice> {
    const used = this.server.cpuTime();
    const [serverCore, clientCore] = [this.othersHad(SERVER_CORE), this.othersHad(CLIENT_CORE)];
    const load = await this.generator.run(this.requests(scenario), ANSWERS[scenario] ?? 200, milliseconds);
    const nanoseconds = this.server.cpuTime() - used;
    const others = [this.othersHad(SERVER_CORE) - serverCore, this.othersHad(CLIENT_CORE) - clientCore];
    return {
      microseconds: Number(nanoseconds) / 1000 / load.requests,
      load,
      disturbed: others.some((time) => Number(time) / 1e9 > DISTURBED * load.seconds),
    };
  }

  /** How long a core was had so far by what has no business there. */
  private othersHad(core: number): bigint {
    const own = core === SERVER_CORE ? this.server.cpuTime() : cpuTimeOfClients();
    return busyTimeOf(core) - own;
  }

  async stop(): Promise<void> {
    this.generator.close();
    await this.server.stop();
  }

  private requests(scenario: Scenario): () => Buffer {
    switch (scenario) {
      case 'one token':
        return always(this.valid[0] as Buffer);
      case '10,000 tokens':
        return this.inTurn(this.valid);
      case 'new tokens':
        return () => request('/v1/hello', bearer(this.jwt(TOKENS + this.count++)));
      case 'forged tokens':
        return this.inTurn(this.forged);
      case 'no token':
        return always(request('/v1/hello'));
      case 'open route':
        return always(request('/v1/open'));
    }
  }

  private inTurn(requests: readonly Buffer[]): () => Buffer {
    return () => requests[this.count++ % requests.length] as Buffer;
  }
}

function request(path: string, header?: string): Buffer {
  const lines = [`GET ${path} HTTP/1.1`, 'Host: localhost', ...(header === undefined ? [] : [header])];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

const always = (bytes: Buffer) => () => bytes;
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);
