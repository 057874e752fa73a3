// What all pictures are made of. A picture is 400 units wide, so that its text has a readable size on phones.

export const WIDTH = 400;
const FONT = `system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif`;

/** An image follows the color scheme of the page that shows it. */
const STYLE = `
.page { fill: #ffffff; stroke: #d0d7de; }
.box { fill: #f6f8fa; stroke: #8c959f; }
.group { fill: #e6f4f1; stroke: #0f766e; }
.step { fill: #ffffff; stroke: #0f766e; }
.note { fill: #fff8e5; stroke: #b7791f; }
.name { fill: #1f2328; font-weight: 600; }
.text { fill: #424a53; }
.key { fill: #1f2328; font-weight: 600; }
.good { fill: #1a7f37; font-weight: 600; }
.bad { fill: #b42318; font-weight: 600; }
.line { fill: none; stroke: #57606a; stroke-width: 1.5; }
.head { fill: #57606a; }
.dashed { stroke-dasharray: 4 4; }
@media (prefers-color-scheme: dark) {
  .page { fill: #161b22; stroke: #3d444d; }
  .box { fill: #21262d; stroke: #8b949e; }
  .group { fill: #12302c; stroke: #5fd3bf; }
  .step { fill: #1b3f3a; stroke: #5fd3bf; }
  .note { fill: #34290f; stroke: #d9a441; }
  .name { fill: #f0f6fc; }
  .text { fill: #c9d1d9; }
  .key { fill: #f0f6fc; }
  .good { fill: #56d364; }
  .bad { fill: #ff9b8e; }
  .line { stroke: #b1bac4; }
  .head { fill: #b1bac4; }
}
`;

/** @param description what the picture says, for those who cannot see it */
export function picture({ title, description, height, body }) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title desc" font-family="${FONT}" font-size="14">
<title id="title">${escape(title)}</title>
<desc id="desc">${escape(description)}</desc>
<style>${STYLE}</style>
<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="head" d="M0 0 10 5 0 10z"/></marker></defs>
<rect class="page" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10"/>
${body.flat(Infinity).join('\n')}
</svg>
`;
}

export function box(kind, x, y, width, height) {
  return `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="7"/>`;
}

/** @param anchor `start`, `middle` or `end`: where x is */
export function text(kind, x, y, words, anchor = 'start') {
  return `<text class="${kind}" x="${x}" y="${y}"${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}>${escape(words)}</text>`;
}

export const arrow = (path, kind = 'line') => `<path class="${kind}" d="${path}" marker-end="url(#head)"/>`;
export const line = (path, kind = 'line') => `<path class="${kind}" d="${path}"/>`;

function escape(words) {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
