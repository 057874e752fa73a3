import type { BlockCosts } from '../plan.js';

const WIDTH = 790;
const LABELS = 330;
const BAR = 16;
const ROW = 26;
const TOP = 52;

/** What a valid token costs with each of them, 10,000 tokens in rotation, as an SVG with a logarithmic axis. */
export function picture(blocks: readonly BlockCosts[]): string {
  const costs = new Map<string, number>();
  for (const { peer, scenario, microseconds } of blocks.flatMap((block) => block.costs)) {
    if (scenario === '10,000 tokens' && !costs.has(peer)) {
      costs.set(peer, microseconds.median);
    }
  }
  const bars = [...costs].sort(([, a], [, b]) => a - b);
  const most = Math.max(...costs.values(), 10);
  const x = (microseconds: number) =>
    (Math.log(Math.max(microseconds, 1)) / Math.log(most)) * (WIDTH - LABELS - 80);
  const rows = bars.map(([peer, microseconds], index) => {
    const y = TOP + index * ROW;
    const color = peer.startsWith('kit-auth') ? '#2563eb' : '#9ca3af';
    return [
      `<text x="${LABELS - 8}" y="${y + BAR - 3}" text-anchor="end">${escaped(peer)}</text>`,
      `<rect x="${LABELS}" y="${y}" width="${x(microseconds).toFixed(1)}" height="${BAR}" fill="${color}"/>`,
      `<text x="${(LABELS + x(microseconds) + 6).toFixed(1)}" y="${y + BAR - 3}">${microseconds.toFixed(0)}</text>`,
    ].join('');
  });
  const height = TOP + bars.length * ROW + 10;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    '<g fill="#111827">',
    `<text x="16" y="24" font-size="15">CPU for authentication, microseconds a request (logarithmic)</text>`,
    `<text x="16" y="42" fill="#6b7280">10,000 tokens in rotation; the cost of the same application without authentication is subtracted</text>`,
    ...rows,
    '</g></svg>',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
