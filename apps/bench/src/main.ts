import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { type Block, measure, type Pace } from './measure/block.js';
import { pinToClientCore, Servers } from './measure/servers.js';
import {
  type BlockCosts,
  BLOCKS,
  isReached,
  requestTargets,
  SHORT_BLOCKS,
  shortTargets,
  type Target,
} from './plan.js';
import { machine, markdown, type Report, type Table, versions } from './report/report.js';
import { picture } from './report/picture.js';
import { addresses } from './sections/addresses.js';
import { growth } from './sections/growth.js';
import { logins } from './sections/logins.js';
import { memory } from './sections/memory.js';
import { sockets } from './sections/sockets.js';
import { startUp } from './sections/start-up.js';

const USAGE = `npm run bench -- [--short | --docs | --check] [section...]

  Sections: requests, logins, start-up, memory, addresses, sockets (these six without any);
            growth.
  --short   half a minute, and an exit code of 1 when something has become several times as slow
  --check   an exit code of 1 when a ratio is missed: other targets depend on the machine
  --docs    writes what was found to docs/performance.md, on Node 20 also to docs/performance.svg
  --block   with requests: this block alone`;

const WITH_TARGETS = { logins, 'start-up': startUp, memory, addresses, sockets };
const USUAL = ['requests', ...Object.keys(WITH_TARGETS)];

const RESULTS = fileURLToPath(new URL('../results/', import.meta.url));
const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean' },
    docs: { type: 'boolean' },
    check: { type: 'boolean' },
    block: { type: 'string' },
  },
});
const sections = positionals.length > 0 ? positionals : USUAL;
const unknown = sections.filter((section) => section !== 'growth' && !USUAL.includes(section));
if (unknown.length > 0) {
  console.error(`There is no section ${unknown.join(', ')}.\n\n${USAGE}`);
  process.exit(1);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(1));
}
let servers: Servers | undefined;
try {
  servers = await Servers.start();
  const targets = values.short ? await short() : await whole();
  const missed = targets.filter((target) => !isReached(target));
  console.error(`${targets.length - missed.length} of ${targets.length} targets reached`);
  if (values.short || values.check) {
    const isRatio = ({ unit }: Target) => unit === '';
    process.exitCode = targets.some(isRatio) && !missed.some(isRatio) ? 0 : 1;
  }
} catch (error) {
  console.error(`The benchmark could not run: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await servers?.stop();
  // Whatever a failure left running ends with us.
  process.exit();
}

async function short(): Promise<Target[]> {
  const pace = { rounds: 5, sliceMilliseconds: 600 };
  const blocks = await requests(SHORT_BLOCKS, pace);
  const targets = shortTargets(blocks);
  console.log(markdown(reportOf(pace, blocks, targets, [])));
  return targets;
}

async function whole(): Promise<Target[]> {
  const pace = { rounds: 8, sliceMilliseconds: 1000 };
  const blocks: BlockCosts[] = [];
  const targets: Target[] = [];
  const tables: Table[] = [];
  if (sections.includes('requests')) {
    blocks.push(...(await requests(BLOCKS, pace)));
    targets.push(...requestTargets(blocks));
  }
  for (const [section, run] of Object.entries(WITH_TARGETS)) {
    if (sections.includes(section)) {
      console.error(`${section}...`);
      targets.push(...(await run()));
    }
  }
  if (sections.includes('growth')) {
    console.error('growth...');
    tables.push(...(await growth()));
  }
  await write(reportOf(pace, blocks, targets, tables));
  return targets;
}

async function requests(plan: Record<string, Block>, pace: Pace): Promise<BlockCosts[]> {
  const unpin = pinToClientCore();
  const results: BlockCosts[] = [];
  for (const [block, participants] of Object.entries(plan)) {
    if (values.block === undefined || values.block === block) {
      console.error(`${block}...`);
      results.push({ block, costs: await measure(participants, pace) });
    }
  }
  unpin();
  return results;
}

function reportOf(pace: Pace, blocks: BlockCosts[], targets: Target[], tables: Table[]): Report {
  const date = new Date().toISOString().slice(0, 10);
  return { date, machine: machine(), versions: versions(), pace, blocks, targets, tables };
}

async function write(report: Report): Promise<void> {
  const text = markdown(report);
  console.log(text);
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(`${RESULTS}results.json`, `${JSON.stringify(report, undefined, 2)}\n`);
  writeFileSync(`${RESULTS}results.md`, `${text}\n`);
  if (report.blocks.length > 0) {
    writeFileSync(`${RESULTS}results.svg`, picture(report.blocks));
  }
  if (values.docs && sections.includes('growth')) {
    await replaceSection(`${DOCS}performance.md`, 'growth', text);
  } else if (values.docs && process.version.startsWith('v24.')) {
    await replaceSection(`${DOCS}performance.md`, 'results of Node 24', markdown({ ...report, blocks: [] }));
  } else if (values.docs) {
    await replaceSection(`${DOCS}performance.md`, 'results', text);
    if (report.blocks.length > 0) {
      writeFileSync(`${DOCS}performance.svg`, `${picture(report.blocks)}\n`);
    }
  }
}

/** Between the comments that name it. */
async function replaceSection(file: string, name: string, text: string): Promise<void> {
  const document = readFileSync(file, 'utf8');
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [before, rest = ''] = document.split(begin);
  const [, after = ''] = rest.split(end);
  const replaced = `${before}${begin}\n\n${text}\n\n${end}${after}`;
  writeFileSync(file, await format(replaced, { ...(await resolveConfig(file)), filepath: file }));
}
