import { type CustomDecorator, SetMetadata } from '@nestjs/common';

export const BEFORE_ENROLMENT = 'kit-auth:before-enrolment';

/**
 * Admits users who need a login with a second factor first. All other protected routes answer 40303 to them. For
 * `@KitAuthController()` classes and their methods.
 *
 * @example
 * ```ts
 * @KitAuthController('passkeys')
 * @BeforeEnrolment()
 * export class PasskeyController {}
 * ```
 */
export const BeforeEnrolment = (): CustomDecorator => SetMetadata(BEFORE_ENROLMENT, true);
