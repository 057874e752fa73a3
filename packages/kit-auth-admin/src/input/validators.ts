import { ValidateBy, ValidateIf } from 'class-validator';

/** May be left out, but is not null. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_input, value) => value !== undefined);
}

/** Well-formed text without control characters that neither begins nor ends with white space. */
export function IsName(maxLength: number): PropertyDecorator {
  return ValidateBy({
    name: 'isName',
    validator: {
      validate: (value) =>
        typeof value === 'string' &&
        value !== '' &&
        value.length <= maxLength &&
        value === value.trim() &&
        value.isWellFormed() &&
        // Format characters stay: some scripts and pictures need them.
        !/[\p{Cc}\p{Cn}\p{Co}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(value) &&
        /[^\p{C}\p{Z}\p{M}]/u.test(value),
      defaultMessage: (args) =>
        `${args?.property ?? ''} must be 1 to ${maxLength} characters, no control characters, and neither begin nor ` +
        'end with a space',
    },
  });
}

/** A list of at most 100 different texts, each of which passes. */
export function IsListOf(what: string, passes: (item: string) => boolean): PropertyDecorator {
  return ValidateBy({
    name: 'isListOf',
    validator: {
      validate: (value) =>
        Array.isArray(value) &&
        value.length <= 100 &&
        new Set(value).size === value.length &&
        value.every((item) => typeof item === 'string' && passes(item)),
      defaultMessage: (args) => `${args?.property ?? ''} must be a list of at most 100 different ${what}`,
    },
  });
}

/** A text that passes a test of its own. */
export function Passes(what: string, passes: (text: string) => boolean): PropertyDecorator {
  return ValidateBy({
    name: 'passes',
    validator: {
      validate: (value) => typeof value === 'string' && passes(value),
      defaultMessage: (args) => `${args?.property ?? ''} must be ${what}`,
    },
  });
}
