// The endpoints of the packages, from what their modules contribute to AUTH_OPERATIONS.
import { contributionsTo, source } from './contributions.mjs';
import { code, table } from './sources.mjs';

const { AUTH_OPERATIONS } = await source('packages/kit-auth/src/endpoints/operations.ts');
const { statusOf } = await source('packages/kit-auth/src/endpoints/endpoint.ts');
const { tablesOf } = await source('packages/kit-auth/src/openapi/operations.ts');

const text = { type: 'string' };
const user = { type: 'object', properties: { userId: {}, username: {}, nickname: {}, superAdmin: {} } };
const application = {
  userId: { type: 'integer' },
  user: { ...user, required: Object.keys(user.properties) },
  cookies: true,
};

/** The declarations of each package, by its name. */
export const declarations = new Map();
for (const { value } of contributionsTo(AUTH_OPERATIONS)) {
  // Packages whose endpoints are not declared yet contribute functions. Their tables are written by hand.
  if (typeof value === 'object') {
    declarations.set(value.name, [...(declarations.get(value.name) ?? []), value]);
  }
}
/** Those of all packages, by their keys. */
const all = Object.assign({}, ...[...declarations.values()].flat().map(({ endpoints }) => endpoints));

function rowsOf(declared) {
  const { operations, additions, login } = tablesOf(declared, application);
  return [
    ...(login ? [rowOf('POST login', all['POST login'], { answer: loginWith(login) })] : []),
    ...Object.entries(declared.endpoints).map(([key, endpoint]) => ({
      ...rowOf(key, endpoint, operations[key]),
      endpoint: `${code(key)}<br>${endpoint.summary}`,
    })),
    ...Object.entries(additions)
      .filter(([, { body, answer }]) => body !== undefined || answer !== undefined)
      .map(([key, addition]) => rowOf(key, all[key], addition)),
  ];
}

function rowOf(key, endpoint, { body, query, answer, accepts }) {
  const answers = [answerOf(key, endpoint, answer), accepts ? '202' : ''].filter(Boolean);
  return {
    endpoint: code(key),
    access: endpoint ? accessOf(endpoint) : '',
    'body or query': [body && code(textOf(body)), query && code(`?${Object.keys(query).join('=&')}=`)]
      .filter(Boolean)
      .join(', '),
    answer: answers.join(' or '),
  };
}

function accessOf({ isPublic, permission, fresh }) {
  const factors = [fresh].flat().map((options) => options?.factors);
  const isSecond = factors.some((it) => it?.startsWith?.('second'));
  const login = fresh === undefined ? '' : isSecond ? 'fresh, second factor' : 'fresh';
  return [isPublic ? 'open' : '', permission ? code(permission) : '', login].filter(Boolean).join(', ');
}

function answerOf(key, endpoint, answer) {
  const status = endpoint ? statusOf(key.split(' ')[0], endpoint) : 200;
  const shown = answer && code(textOf(answer));
  if (endpoint?.login && key !== 'POST login') {
    return shown ? `as ${code('POST login')}, with ${shown}` : `as ${code('POST login')}`;
  }
  const body = shown ?? (endpoint?.login ? code(textOf(loginWith({}))) : status < 202 && 'an object');
  return [status === 200 ? '' : status, body].filter(Boolean).join(' ');
}

function loginWith({ properties = {}, required = [] }) {
  return {
    properties: { token: text, user: text, ...properties },
    required: ['token', 'user', ...required],
  };
}

/** A JSON schema in short, such as `{ id, name? }`. */
function textOf({ type, properties, required = [], items, enum: names }) {
  if (items) {
    return `[${textOf(items)}]`;
  }
  if (properties) {
    const members = Object.entries(properties).map(([name, member]) => {
      const isDetailed = member.properties || member.items?.properties || member.enum;
      const shown = `${name}${required.includes(name) ? '' : '?'}`;
      return isDetailed ? `${shown}: ${textOf(member)}` : shown;
    });
    return `{ ${members.join(', ')} }`;
  }
  return names ? names.map((name) => `'${name}'`).join(' or ') : (type ?? 'object');
}

/** @param columns of a table @param given the text of the document, for packages without declarations */
export function endpointsIn(name, columns, given) {
  const declared = declarations.get(name);
  return declared === undefined
    ? given
    : `<!-- prettier-ignore -->\n${table(columns.split(', '), declared.flatMap(rowsOf))}`;
}
