/** The role of super administrators. */
export const SUPER_ADMIN = 'SUPER_ADMIN';
