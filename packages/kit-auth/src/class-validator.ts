// The entry for DTOs of applications: rules of kit-auth as decorators of class-validator.

import {
  buildMessage,
  getFromContainer,
  ValidateBy,
  type ValidationArguments,
  type ValidationOptions,
} from 'class-validator';
import { NewPasswords } from './passwords/new-passwords.js';
import { AuthException, IllegalStateException } from './errors/auth.exception.js';
import { isPermission } from './routes/permission.js';
import { isDisplayName } from './users/display-name.js';
import { isRoleCode } from './users/stored-users.js';

/**
 * A name that people see: no control characters, no spaces at either end, and at least one visible character.
 *
 * @param maxLength in UTF-16 code units. Default: 255, the limit of nicknames
 */
export function IsDisplayName(maxLength = 255, options?: ValidationOptions): PropertyDecorator {
  const must = `must have 1 to ${maxLength} characters, without control characters, and without spaces at its beginning and end`;
  return rule('isDisplayName', must, (value) => isDisplayName(value, maxLength), options);
}

/** A permission such as `note:read` or `note:*`. */
export function IsPermission(options?: ValidationOptions): PropertyDecorator {
  return rule('isPermission', 'must be a permission such as "note:read" or "note:*"', isPermission, options);
}

/** The code of a role, as the default user store has them. */
export function IsRoleCode(options?: ValidationOptions): PropertyDecorator {
  const must = 'must be 1 to 64 letters, digits, ".", "_" or "-"';
  return rule('isRoleCode', must, (value) => typeof value === 'string' && isRoleCode(value), options);
}

/**
 * A password that the application allows: see `kit.auth.password`. Call `useContainer()` of class-validator once, so that the
 * decorator finds the application.
 *
 * @param usernameMember the member of the DTO that has the username, which a password must not contain
 * @example
 * ```ts
 * const app = await NestFactory.create(AppModule);
 * useContainer(app, { fallbackOnErrors: true });
 * app.useGlobalPipes(new ValidationPipe());
 * ```
 */
export function IsAllowedPassword(
  usernameMember = 'username',
  options?: ValidationOptions,
): PropertyDecorator {
  const refusals = new WeakMap<object, string>();
  return ValidateBy(
    {
      name: 'isAllowedPassword',
      async: true,
      validator: {
        validate: async (value: unknown, args?: ValidationArguments) => {
          const { object } = args as ValidationArguments;
          const username: unknown = Reflect.get(object, usernameMember);
          const refusal = await refusalOf(value, typeof username === 'string' ? username : NOBODY);
          refusals.set(object, refusal ?? '');
          return refusal === undefined;
        },
        defaultMessage: (args) => `$property is not allowed: ${refusals.get(args?.object ?? {}) ?? ''}`,
      },
    },
    options,
  );
}

/** A username that no password contains. */
const NOBODY = '\0';

async function refusalOf(password: unknown, username: string): Promise<string | undefined> {
  if (typeof password !== 'string') {
    return 'It must be a string';
  }
  const passwords = getFromContainer(NewPasswords);
  // class-validator constructs it without dependencies unless it has the container of the application.
  if (Reflect.get(passwords, 'policy') === undefined) {
    throw new IllegalStateException(
      '@IsAllowedPassword() does not find the application. Call useContainer(app, { fallbackOnErrors: true }) of ' +
        'class-validator after NestFactory.create(), with an application that imports KitAuthModule.',
    );
  }
  try {
    await passwords.check(password, username);
    return undefined;
  } catch (error) {
    if (error instanceof AuthException) {
      return error.message;
    }
    throw error;
  }
}

function rule(
  name: string,
  must: string,
  validate: (value: unknown) => boolean,
  options?: ValidationOptions,
): PropertyDecorator {
  const defaultMessage = buildMessage((each) => `${each}$property ${must}`, options);
  return ValidateBy({ name, validator: { validate, defaultMessage } }, options);
}
