import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measure } from '../measure/block.js';
import { LoadGenerator } from '../measure/load.js';
import { pinToClientCore } from '../measure/servers.js';
import { ServerProcess } from '../measure/server-process.js';
import { quantile, spreadOf } from '../measure/statistics.js';
import type { Table } from '../report/report.js';

const PEER = 'kit-auth with everything, grown';
const PACE = { rounds: 5, sliceMilliseconds: 600 };
const STARTS = 3;

interface Size {
  rows: number;
  routes: number;
}

/** What a request, a start and a page of users take, as there is more of everything. */
export async function growth(): Promise<Table[]> {
  const directory = mkdtempSync(join(tmpdir(), 'kit-auth-bench-'));
  try {
    return [
      {
        title: 'Growth: users, roles and sessions',
        head: ['of each', 'µs of CPU a request', 'start-up ms', 'first page of users ms', 'last page ms'],
        rows: await inTurn([10, 1000, 100_000], (rows) => measureAt({ rows, routes: 10 }, directory, true)),
      },
      {
        title: 'Growth: routes',
        head: ['routes', 'µs of CPU a request', 'start-up ms'],
        rows: await inTurn([10, 200, 2000], (routes) => measureAt({ rows: 10, routes }, directory, false)),
      },
    ];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function inTurn(sizes: number[], row: (size: number) => Promise<number[]>): Promise<string[][]> {
  const table: string[][] = [];
  for (const size of sizes) {
    table.push([size.toLocaleString('en'), ...(await row(size)).map((value) => value.toFixed(1))]);
  }
  return table;
}

async function measureAt({ rows, routes }: Size, directory: string, withPages: boolean): Promise<number[]> {
  const file = join(directory, `${rows}-${routes}.sqlite`);
  const settings = { BENCH_SQLITE: file, BENCH_ROWS: String(rows), BENCH_ROUTES: String(routes) };
  const starts: number[] = [];
  for (let start = 0; start <= STARTS; start++) {
    const server = await ServerProcess.start(PEER, { settings });
    starts.push(server.ready.startMilliseconds);
    await server.stop();
  }
  const unpin = pinToClientCore();
  const [cost] = await measure(
    {
      floor: 'no authentication, Fastify',
      participants: [{ peer: PEER, scenarios: ['10,000 tokens'], settings }],
    },
    PACE,
  );
  unpin();
  return [
    cost?.microseconds.median ?? NaN,
    spreadOf(starts.slice(1)).median, // the first one filled the database
    ...(withPages ? await pagesOfUsers(settings, Math.ceil(rows / 20)) : []),
  ];
}

async function pagesOfUsers(settings: Record<string, string>, lastPage: number): Promise<number[]> {
  const server = await ServerProcess.start(PEER, { settings });
  const generator = await LoadGenerator.open(server.ready.port, 1);
  try {
    const administrator = await server.ask<string>('administrator');
    const times: number[] = [];
    for (const page of [1, lastPage]) {
      const path = `/v1/api/auth/users?page=${page}&size=20`;
      const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${administrator}\r\n\r\n`);
      const { latencies } = await generator.run(() => request, 200, 1000);
      times.push(quantile(latencies, 0.5));
    }
    return times;
  } finally {
    generator.close();
    await server.stop();
  }
}
