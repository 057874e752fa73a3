/**
 * Types of this package that depend on the application. If its users have string ids, it declares that once:
 *
 * @example
 * declare module 'kit-auth' {
 *   interface KitAuthTypes {
 *     userId: string;
 *   }
 * }
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- applications merge their own types into it
export interface KitAuthTypes {}

/** The id of a user: a number unless the application declares another type in `KitAuthTypes`. */
export type UserId = KitAuthTypes extends { userId: infer Id } ? Id : number;
