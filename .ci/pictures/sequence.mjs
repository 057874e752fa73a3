// Messages between actors, from above to below.
import { arrow, box, line, picture, text, WIDTH } from './svg.mjs';

const [MARGIN, TOP, HEAD, LINE] = [18, 18, 36, 18];

/**
 * @param actors their names, from left to right
 * @param steps messages `{ from, to, text }`, whose lines of text are texts or [kind, text], and `{ note }`, whose lines
 * go across the picture
 */
export function sequence({ title, actors, steps }) {
  const width = actors.length > 2 ? 112 : 130;
  const distance = (WIDTH - 2 * MARGIN - width) / (actors.length - 1);
  const middles = new Map(actors.map((actor, i) => [actor, MARGIN + width / 2 + i * distance]));
  let y = TOP + HEAD + 10;
  const drawn = steps.map((step) => {
    const lines = step.note ?? step.text;
    const from = y;
    y += LINE * lines.length + (step.note === undefined ? 20 : 30);
    return step.note === undefined ? message(step, middles, from) : note(lines, from);
  });
  const bottom = y + 4;
  return picture({
    title,
    description: steps.map(sentenceOf).join(' '),
    height: bottom + 14,
    body: [
      actors.map((actor) => [
        line(`M${middles.get(actor)} ${TOP + HEAD}V${bottom}`, 'line dashed'),
        box('step', middles.get(actor) - width / 2, TOP, width, HEAD),
        text('name', middles.get(actor), TOP + 24, actor, 'middle'),
      ]),
      drawn,
    ],
  });
}

function message({ from, to, text: lines }, middles, y) {
  const [start, end] = [middles.get(from), middles.get(to)];
  const bottom = y + LINE * lines.length + 8;
  return [
    lines.map((entry, i) => text(...partsOf(entry, (start + end) / 2, y + LINE * (i + 1)), 'middle')),
    arrow(`M${start} ${bottom}H${end + (end > start ? -1 : 1)}`),
  ];
}

function note(lines, y) {
  return [
    box('note', MARGIN, y + 6, WIDTH - 2 * MARGIN, LINE * lines.length + 14),
    lines.map((words, i) => text('text', WIDTH / 2, y + 7 + LINE * (i + 1), words, 'middle')),
  ];
}

function partsOf(entry, x, y) {
  const [kind, words] = typeof entry === 'string' ? ['text', entry] : entry;
  return [kind, x, y, words];
}

function sentenceOf({ from, to, text: lines, note: notes }) {
  const words = (notes ?? lines).map((entry) => [entry].flat().at(-1)).join(' ');
  return notes === undefined ? `${from} to ${to}: ${words}.` : `${words}.`;
}
