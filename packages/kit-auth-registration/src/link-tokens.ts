import type { UserId } from 'kit-auth';

/** The permission to invite. */
export const INVITE_PERMISSION = 'auth:user:write';

/** The purposes of the one-time tokens in links. Their subject is the key of the address. */
export const REGISTER = 'register';
export const INVITE = 'invite';

const HOUR = 60 * 60;
export const LIFETIME_SECONDS = { [REGISTER]: 24 * HOUR, [INVITE]: 7 * 24 * HOUR } as const;

/** The data of a token to register. */
export interface RegistrationData {
  /** The address as the user typed it. */
  readonly address: string;
}

/** The data of an invitation. */
export interface InvitationData extends RegistrationData {
  readonly nickname?: string;
  readonly roles: readonly string[];
  readonly inviterId: UserId;
}
