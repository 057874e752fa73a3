// The tables of all packages and what refers to what, from the entities.
import { spawnSync } from 'node:child_process';
import { box, line, picture, text, WIDTH } from './svg.mjs';

const [MARGIN, TABLE, ROW, HEAD, GAP] = [14, 176, 18, 48, 18];
const MIDDLE = WIDTH / 2;
const X = [MARGIN, WIDTH - MARGIN - TABLE];
/** The tables of the core are at the top: each in its column. */
const COLUMNS = { auth_user: 0, auth_user_role: 0, auth_role: 1, auth_role_include: 1 };
/** Columns with the id of a user as text, because the users may be in other tables than `auth_user`. */
const USER_ID = /^(user|actor|subject)Id$/;

const { stdout, stderr, status } = spawnSync(
  process.execPath,
  ['--conditions=@kit-auth/source', '.ci/pictures/entities.mjs'],
  { encoding: 'utf8' },
);
if (status !== 0) {
  throw new Error(`The entities cannot be loaded: ${stderr}`);
}
const places = placed(JSON.parse(stdout));
const userTable = places.find(({ name }) => name === 'auth_user');
const bottom = Math.max(...places.map((place) => place.bottom));

export const tables = picture({
  title: 'The tables of all packages',
  description: places.map(sentenceOf).join(' '),
  height: bottom + 84,
  body: [places.map(references), places.map(table), usersLine(), legend(bottom + 18)],
});

/** First those of the core, then each where there is more room. */
function placed(list) {
  const core = Object.keys(COLUMNS);
  const own = (name) => list.find((it) => it.name === name);
  const ends = [MARGIN + 4, MARGIN + 4];
  return [...core.map(own), ...list.filter(({ name }) => !core.includes(name))].map((it) => {
    const column = COLUMNS[it.name] ?? (ends[1] < ends[0] ? 1 : 0);
    const top = ends[column];
    const end = top + HEAD + ROW * it.columns.length + 8;
    ends[column] = end + GAP;
    return { ...it, column, top, bottom: end, x: X[column], inner: column === 0 ? X[0] + TABLE : X[1] };
  });
}

function table({ name, entry, columns, x, top, bottom: end }) {
  const isCore = entry === 'kit-auth/typeorm';
  return [
    box(isCore ? 'group' : 'box', x, top, TABLE, end - top),
    text('name', x + 9, top + 21, name),
    text('text', x + 9, top + 39, entry.replace('/typeorm', '')),
    columns.map(({ name: column, isPrimary, isNullable }, i) =>
      text(isPrimary ? 'key' : 'text', x + 9, rowOf({ top }, i), `${column}${isNullable ? ' ?' : ''}`),
    ),
  ];
}

/** Where the text of a column stands. */
function rowOf({ top }, i) {
  return top + HEAD + ROW * i + 14;
}

/** Where a line meets a column. */
function heightOf(place, column) {
  const i = place.columns.findIndex(({ name }) => name === column);
  return rowOf(place, i) - 5;
}

/** Foreign keys. */
function references(place) {
  return place.references.map(({ column, table: name }) => {
    const target = places.find((other) => other.name === name);
    const [from, to] = [heightOf(place, column), heightOf(target, 'id')];
    return target.column === place.column
      ? line(`M${place.x + TABLE / 2} ${place.top}V${target.bottom}`)
      : line(`M${place.inner} ${from}H${MIDDLE + 5}V${to}H${target.inner}`);
  });
}

/** From the id of `auth_user` down between the columns, with a branch to each column that has the id as text. */
function usersLine() {
  const branches = places
    .filter((place) => place.references.length === 0)
    .flatMap((place) =>
      place.columns
        .filter(({ name }) => USER_ID.test(name))
        .map(({ name }) => ({ x: place.inner, y: heightOf(place, name) })),
    );
  const x = MIDDLE - 5;
  const start = heightOf(userTable, 'id');
  const end = Math.max(...branches.map(({ y }) => y));
  return [
    line(`M${userTable.inner} ${start}H${x}V${end}`, 'line dashed'),
    branches.map((branch) => line(`M${x} ${branch.y}H${branch.x}`, 'line dashed')),
  ];
}

function legend(y) {
  return [
    text('key', MARGIN + 4, y + 10, 'bold: primary key'),
    text('text', MIDDLE - 30, y + 10, 'a question mark: may be null'),
    line(`M${MARGIN + 4} ${y + 26}H${MARGIN + 34}`),
    text('text', MARGIN + 44, y + 31, 'a foreign key'),
    line(`M${MARGIN + 4} ${y + 47}H${MARGIN + 34}`, 'line dashed'),
    text('text', MARGIN + 44, y + 52, 'the id of a user as text, no foreign key'),
  ];
}

function sentenceOf({ name, columns, references: keys }) {
  const list = columns.map((column) => {
    const key = keys.find(({ column: own }) => own === column.name);
    return key === undefined ? column.name : `${column.name} (refers to ${key.table})`;
  });
  return `${name}: ${list.join(', ')}.`;
}
