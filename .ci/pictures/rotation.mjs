// What each key of `jwt.keys` does while one replaces another (`KeyRing` of kit-auth-jwt).
import { arrow, box, line, picture, text, WIDTH } from './svg.mjs';

const [MARGIN, TOP, HEAD, HEIGHT, GAP, LINE] = [18, 18, 36, 50, 24, 18];
const [LEFT, KEY] = [150, 104];
const NOTE = 48;
const KEYS = ['Old key', 'New key'];

const ROWS = [
  { name: 'Before', list: 'old', roles: ['signs', undefined] },
  { name: 'Deployment 1', list: 'old, new (next)', roles: ['signs', 'accepted'] },
  { name: 'Deployment 2', list: 'new, old', roles: ['accepted', 'signs'] },
  { note: ['Wait until the last token of the old key', 'has expired'] },
  { name: 'Deployment 3', list: 'new', roles: [undefined, 'signs'] },
];

const places = placesOf(ROWS);

export const rotation = picture({
  title: 'How one key replaces another',
  description: ROWS.map(sentenceOf).join(' '),
  height: places.at(-1).bottom + 18,
  body: [
    text('text', MARGIN, TOP + 18, 'jwt.keys'),
    KEYS.map((name, i) => text('name', middleOf(i), TOP + 18, name, 'middle')),
    places.map(drawn),
  ],
});

function placesOf(rows) {
  let y = TOP + HEAD;
  return rows.map((row) => {
    const top = y;
    const bottom = top + (row.note === undefined ? HEIGHT : NOTE);
    y = bottom + GAP;
    return { ...row, top, bottom };
  });
}

function drawn({ name, list, roles, note, top, bottom }, i) {
  const next = places[i + 1];
  const down =
    next === undefined ? [] : arrow(`M${MARGIN + 46} ${bottom + 2}V${next.top + (next.note ? -1 : 6)}`);
  if (note !== undefined) {
    return [
      box('note', MARGIN, top, WIDTH - 2 * MARGIN, NOTE),
      note.map((words, row) => text('text', WIDTH / 2, top + 20 + LINE * row, words, 'middle')),
      down,
    ];
  }
  return [
    text('name', MARGIN, top + 24, name),
    text('text', MARGIN, top + 24 + LINE, list),
    roles.map((role, key) => roleOf(role, key, top)),
    down,
  ];
}

function roleOf(role, key, top) {
  const [x, middle] = [LEFT + 10 + key * (KEY + 14), top + HEIGHT / 2];
  if (role === undefined) {
    return line(`M${x + KEY / 2 - 12} ${middle}h24`, 'line dashed');
  }
  const isSigner = role === 'signs';
  return [
    box(isSigner ? 'group' : 'box', x, top, KEY, HEIGHT),
    text(isSigner ? 'good' : 'text', x + KEY / 2, middle + 5, role, 'middle'),
  ];
}

function middleOf(key) {
  return LEFT + 10 + key * (KEY + 14) + KEY / 2;
}

function sentenceOf({ name, list, roles, note }) {
  if (note !== undefined) {
    return `${note.join(' ')}.`;
  }
  const does = roles.flatMap((role, i) => (role === undefined ? [] : `${KEYS[i].toLowerCase()} ${role}`));
  return `${name}, jwt.keys ${list}: ${does.join(', ')}.`;
}
