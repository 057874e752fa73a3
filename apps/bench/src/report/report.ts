import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, release, totalmem, type } from 'node:os';
import type { Pace } from '../measure/block.js';
import { type BlockCosts, isReached, type Target } from '../plan.js';

/** Everything that a run found, with what it was found on. */
export interface Report {
  date: string;
  machine: string;
  versions: Record<string, string>;
  pace: Pace;
  blocks: BlockCosts[];
  targets: Target[];
  tables: Table[];
}

/** What is no cost of a request and has no target. */
export interface Table {
  title: string;
  head: string[];
  rows: string[][];
}

const PACKAGES = [
  '@nestjs/core',
  'fastify',
  'express',
  'typeorm',
  'bcrypt',
  '@nestjs/jwt',
  'redis',
  '@fastify/jwt',
  'jose',
  'passport-jwt',
  'better-auth',
  'express-session',
];

export function versions(): Record<string, string> {
  const require = createRequire(import.meta.url);
  const versionOf = (name: string) => {
    const files = require.resolve.paths(name)?.map((path) => `${path}/${name}/package.json`) ?? [];
    const file = files.find((file) => existsSync(file)) ?? '';
    return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  };
  const entries = PACKAGES.map((name): [string, string] => [name, versionOf(name)]);
  return { node: process.version, ...Object.fromEntries(entries) };
}

export function machine(): string {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${cpus().length} x ${cpu?.model.trim() ?? 'unknown'}, ${memory}, ${type()} ${release()}`;
}

/** The report as Markdown: what it was found on, the targets, then each block. */
export function markdown({ date, machine, versions, pace, blocks, targets, tables }: Report): string {
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    `${date}, ${machine}; ${pace.rounds} rounds of ${pace.sliceMilliseconds} ms.`,
    `${names.join(', ')}.`,
    ...(targets.length === 0 ? [] : [targetTable(targets)]),
    ...blocks.map(blockTable),
    ...tables.map(({ title, head, rows }) => `**${title}**\n\n${table(head, rows)}`),
  ].join('\n\n');
}

function targetTable(targets: readonly Target[]): string {
  return table(
    ['what', 'at most', 'measured', ''],
    targets.map((target) => [
      target.what,
      amount(target.limit, target.unit),
      amount(target.measured, target.unit),
      isReached(target) ? 'reached' : '**missed**',
    ]),
  );
}

function blockTable({ block, costs }: BlockCosts): string {
  const rows = costs.map((cost) => [
    cost.peer,
    cost.scenario,
    cost.microseconds.median.toFixed(1),
    `${cost.microseconds.low.toFixed(1)} to ${cost.microseconds.high.toFixed(1)}`,
    cost.requestsPerSecond.toFixed(0),
    cost.p50.toFixed(2),
    cost.p99.toFixed(2),
    String(cost.disturbed),
  ]);
  return `**${block}**\n\n${table(
    ['', 'clients send', 'µs of CPU', 'quartiles', 'requests/s', 'p50 ms', 'p99 ms', 'disturbed'],
    rows,
  )}`;
}

function amount(value: number, unit: Target['unit']): string {
  if (unit === '') {
    return value.toFixed(value < 0.1 ? 3 : 2);
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
