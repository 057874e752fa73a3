import { type CustomDecorator, SetMetadata } from '@nestjs/common';

export const BEFORE_PASSWORD_CHANGE = 'kit-auth:before-password-change';

/** Lets users through who have to choose a new password first; everything else answers them 40301. */
export const BeforePasswordChange = (): CustomDecorator => SetMetadata(BEFORE_PASSWORD_CHANGE, true);
