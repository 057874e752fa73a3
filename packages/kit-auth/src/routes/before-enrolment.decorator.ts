import { type CustomDecorator, SetMetadata } from '@nestjs/common';

export const BEFORE_ENROLMENT = 'kit-auth:before-enrolment';

/**
 * Admits users who must set up a second factor first. All other protected handlers answer 40303 to them. For methods of
 * a `@KitAuthController()`, and for the controller as a whole.
 *
 * @example
 * ```ts
 * @KitAuthController('passkeys')
 * @BeforeEnrolment()
 * export class PasskeyController {}
 * ```
 */
export const BeforeEnrolment = (): CustomDecorator => SetMetadata(BEFORE_ENROLMENT, true);
