/**
 * The JSON text of a value, with the keys of objects sorted: the same for values that JSON transports as the same.
 *
 * @throws TypeError for numbers that JSON cannot transport, such as NaN and Infinity, and for what `JSON.stringify()` refuses
 * @throws RangeError for a value that is nested too deeply, or contains itself
 */
export function canonicalJson(value: unknown): string {
  return textOf('', value) ?? 'null';
}

/** @returns undefined for what JSON leaves out */
function textOf(key: string, given: unknown): string | undefined {
  const value = transported(key, given);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    // As JSON, they become null. But JSON text can contain 1e400, which is read as Infinity.
    throw new TypeError('JSON has no numbers such as NaN and Infinity');
  }
  if (Array.isArray(value)) {
    return `[${Array.from(value, (item, i) => textOf(String(i), item) ?? 'null').join(',')}]`;
  }
  return typeof value === 'object' && value !== null ? textOfMembers(value) : JSON.stringify(value);
}

function textOfMembers(value: object): string {
  const members = Object.keys(value)
    .sort()
    .map((key) => ({ key, text: textOf(key, Reflect.get(value, key)) }))
    .filter(({ text }) => text !== undefined);
  return `{${members.map(({ key, text }) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
}

/** The value that `JSON.stringify()` writes. */
function transported(key: string, value: unknown): unknown {
  const { toJSON } = (value ?? {}) as { toJSON?: unknown };
  const plain: unknown = typeof toJSON === 'function' ? toJSON.call(value, key) : value;
  return plain instanceof Number || plain instanceof String || plain instanceof Boolean
    ? plain.valueOf()
    : plain;
}

/**
 * The name of a job, or the pattern of a message, in the form that is signed. A pattern that is an object is the same as its
 * JSON text, as which transports deliver it, with its members in any order.
 *
 * @returns undefined for anything else, and for an empty name
 */
export function canonicalName(name: unknown): string | undefined {
  switch (typeof name) {
    case 'string':
      return name === '' ? undefined : canonicalText(name);
    case 'number':
      return String(name);
    case 'object':
      return name === null ? undefined : canonicalJson(name);
    default:
      return undefined;
  }
}

function canonicalText(name: string): string {
  try {
    const parsed: unknown = JSON.parse(name);
    return typeof parsed === 'object' && parsed !== null ? canonicalJson(parsed) : name;
  } catch {
    return name; // not JSON, or JSON that cannot be signed
  }
}
