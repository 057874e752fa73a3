import { ValidateBy, ValidateIf } from 'class-validator';
import { isDisplayName } from 'kit-auth/extend';

const MAX_ITEMS = 100;

/** The member may be absent, but not null. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_input, value) => value !== undefined);
}

/** A display name: no control characters, no spaces at either end, and at least one visible character. */
export function IsName(maxLength: number): PropertyDecorator {
  return ValidateBy({
    name: 'isName',
    validator: {
      validate: (value) => isDisplayName(value, maxLength),
      defaultMessage: (args) =>
        `${args?.property ?? ''} must have 1 to ${maxLength} characters, without control characters, and without ` +
        'spaces at its beginning and end',
    },
  });
}

/** @param what the name of the items in error messages */
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

/** @param what the name of the string in error messages */
export function IsText(what: string, isValid: (text: string) => boolean): PropertyDecorator {
  return ValidateBy({
    name: 'isText',
    validator: {
      validate: (value) => typeof value === 'string' && isValid(value),
      defaultMessage: (args) => `${args?.property ?? ''} must be ${what}`,
    },
  });
}
