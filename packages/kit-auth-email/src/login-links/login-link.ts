import type { PeekedToken } from 'kit-auth/one-time';

/** The purpose of the tokens in login links. Their subject is the key of the address. */
export const LOGIN_LINK = 'login-link';

/** The data of a token in a login link. */
export interface LoginLinkData {
  /** A hash of the secret of the browser that has asked for it. */
  readonly browser: string;
  /** A slow hash of the code in the mail. */
  readonly code: string;
  /** Whether the browser remembers the login. Undefined if the request did not say so. */
  readonly remember?: boolean | undefined;
  /** The name of the user, for events. */
  readonly username?: string;
  /** The address as it was typed, if the link creates an account for it. */
  readonly address?: string;
}

export function dataOf({ data }: Pick<PeekedToken, 'data'>): LoginLinkData {
  return data as LoginLinkData;
}
