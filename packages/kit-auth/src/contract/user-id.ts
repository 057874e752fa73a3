/**
 * Facts about an application that types of this package depend on. An application whose users have text ids declares
 * that once:
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
