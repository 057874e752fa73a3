import { canonicalJson } from './canonical-json.js';

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
    return name; // not JSON, or JSON that nobody could have signed
  }
}
