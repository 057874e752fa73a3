// A way through steps, one below the other. On its right side are the ways out.
import { arrow, box, line, picture, text, WIDTH } from './svg.mjs';

const [LEFT, BOX, GAP, LINE] = [18, 272, 22, 18];
const RIGHT = LEFT + BOX;
const OUT = RIGHT + 18;
const GROUP_TITLE = 34;

/**
 * @param steps each has a `name`, lines of `text`, and `out`: lines beside it, each a text or [kind, text]. `skipTo` is the
 * name of the step that its way out leads to. Steps of the same `group` have a frame.
 */
export function flow({ title, steps }) {
  const places = placesOf(steps);
  return picture({
    title,
    description: steps.map(sentenceOf).join(' '),
    height: places.at(-1).bottom + 18,
    body: [frames(places), places.map((place, i) => [step(place, places[i + 1]), wayOut(place, places)])],
  });
}

function placesOf(steps) {
  let y = 18;
  return steps.map((step, i) => {
    const [before, after] = [steps[i - 1], steps[i + 1]];
    if (step.group !== undefined && step.group !== before?.group) {
      y += GROUP_TITLE;
    }
    const top = y;
    const bottom = top + 34 + LINE * (step.text ?? []).length;
    y = bottom + GAP + (step.group !== undefined && step.group !== after?.group ? 14 : 0);
    return { ...step, top, bottom, middle: (top + bottom) / 2 };
  });
}

function frames(places) {
  return [...new Set(places.flatMap(({ group }) => group ?? []))].map((group) => {
    const members = places.filter((place) => place.group === group);
    const top = members[0].top - GROUP_TITLE;
    return [
      box('group', LEFT - 10, top, BOX + 20, members.at(-1).bottom + 12 - top),
      text('name', LEFT, top + 23, group),
    ];
  });
}

function step({ name, text: lines = [], group, top, bottom }, next) {
  const isLeaving = next?.group !== undefined && next.group !== group;
  return [
    box(group === undefined ? 'box' : 'step', LEFT, top, BOX, bottom - top),
    text('name', LEFT + 14, top + 23, name),
    lines.map((words, i) => text('text', LEFT + 14, top + 23 + LINE * (i + 1), words)),
    next && arrow(`M${LEFT + BOX / 2} ${bottom}V${next.top - (isLeaving ? GROUP_TITLE : 0) - 1}`),
  ].filter(Boolean);
}

function wayOut({ out = [], skipTo, middle }, places) {
  if (skipTo !== undefined) {
    const target = places.find(({ name }) => name === skipTo);
    return [
      arrow(`M${RIGHT} ${middle}H${WIDTH - 12}V${target.middle}H${RIGHT + 2}`),
      text('text', OUT, middle - 7, out[0]),
    ];
  }
  const first = middle - ((out.length - 1) * LINE) / 2 + 5;
  return [
    out.length > 0 ? line(`M${RIGHT} ${middle}H${OUT - 5}`) : [],
    out.map((entry, i) => {
      const [kind, words] = typeof entry === 'string' ? ['text', entry] : entry;
      return text(kind, OUT, first + LINE * i, words);
    }),
  ];
}

function sentenceOf({ name, text: lines = [], out = [], skipTo }) {
  const ways = out.map((words) => [words].flat().at(-1)).join(' ');
  const target = skipTo === undefined ? '' : ` leads to ${skipTo}`;
  return `${[name, lines.join(' ')].filter(Boolean).join(': ')}${ways && ` (${ways}${target})`}.`;
}
