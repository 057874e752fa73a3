import { ValidateBy, ValidateIf } from 'class-validator';

const MAX_ITEMS = 100;

/** The member may be absent, but not null. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_input, value) => value !== undefined);
}

/** A name that people read: no control characters, no spaces at its ends, at least one visible character. */
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
        // Other format characters are allowed: some scripts and emoji need joiners.
        !/[\p{Cc}\p{Cn}\p{Co}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(value) &&
        /[^\p{C}\p{Z}\p{M}]/u.test(value),
      defaultMessage: (args) =>
        `${args?.property ?? ''} must have 1 to ${maxLength} characters, without control characters, and without ` +
        'spaces at its beginning and end',
    },
  });
}

/** @param what the items, in the message of a refusal */
export function IsListOf(what: string, isItem: (text: string) => boolean): PropertyDecorator {
  return ValidateBy({
    name: 'isListOf',
    validator: {
      validate: (value) =>
        Array.isArray(value) &&
        value.length <= MAX_ITEMS &&
        new Set(value).size === value.length &&
        value.every((item) => typeof item === 'string' && isItem(item)),
      defaultMessage: (args) =>
        `${args?.property ?? ''} must be a list of at most ${MAX_ITEMS} different ${what}`,
    },
  });
}

/** @param what the text, in the message of a refusal */
export function IsText(what: string, isValid: (text: string) => boolean): PropertyDecorator {
  return ValidateBy({
    name: 'isText',
    validator: {
      validate: (value) => typeof value === 'string' && isValid(value),
      defaultMessage: (args) => `${args?.property ?? ''} must be ${what}`,
    },
  });
}
