import { type CustomDecorator, SetMetadata } from '@nestjs/common';

export const BEFORE_PASSWORD_CHANGE = 'kit-auth:before-password-change';

/** Admits users who must choose a new password first. All other protected handlers answer 40301 to them. */
export const BeforePasswordChange = (): CustomDecorator => SetMetadata(BEFORE_PASSWORD_CHANGE, true);
