/**
 * The factors that let users change their own passkeys (`@RequireFresh()`). Recovery codes are among them: users log in
 * with one to replace a lost device.
 */
export const OWN_CHANGES = { factors: 'second-or-recovery' } as const;
