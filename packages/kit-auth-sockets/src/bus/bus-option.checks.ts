/** PostgreSQL allows 63 bytes in the name of a channel. */
const PREFIX = /^[\w:.-]{1,32}$/;

/** @returns the rest of the error message */
export function prefixProblem(value: string): string | undefined {
  return PREFIX.test(value) ? undefined : 'must have 1 to 32 characters: letters, digits, and any of _ : . -';
}

/** @returns the rest of the error message, without the value, which contains a password */
export function urlProblem(value: string, protocols: readonly string[], example: string): string | undefined {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol)
    ? undefined
    : `must be like ${example}. In the password, use encodeURIComponent() for characters such as / and #`;
}
