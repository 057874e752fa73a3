/** Whether a part of an issuer is right, and what it must be. */
export type Check = readonly [isRight: boolean, problem: string];

/** What is wrong with the first part that is not right. */
export function firstProblem(checks: readonly Check[]): string | undefined {
  return checks.find(([isRight]) => !isRight)?.[1];
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isText);
}

/** Refuses misspelled keys: what they are meant to restrict would not be restricted. */
export function onlyKeys(value: object, keys: readonly string[], where = ''): Check {
  const other = Object.keys(value).find((key) => !keys.includes(key));
  return [other === undefined, `${where}${other ?? ''} is not an option: it has ${keys.join(', ')}`];
}
