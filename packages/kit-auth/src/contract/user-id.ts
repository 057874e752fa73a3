/**
 * Types of this package that depend on the application. An application declares once that its users have string ids
 * (`userId`), and which fields of its own they have (`data`, see `LoginUser.data`):
 *
 * @example
 * declare module 'kit-auth' {
 *   interface KitAuthTypes {
 *     userId: string;
 *     data: { tenant: string };
 *   }
 * }
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- applications merge their own types into it
export interface KitAuthTypes {}

/** The id of a user: a number unless the application declares another type in `KitAuthTypes`. */
export type UserId = KitAuthTypes extends { userId: infer Id } ? Id : number;

/** The type of `LoginUser.data`: any fields unless the application declares them in `KitAuthTypes`. */
export type UserData = KitAuthTypes extends { data: infer Data } ? Data : Readonly<Record<string, unknown>>;

/** The names of the fields of `LoginUser.data`. */
export type UserDataKey = Extract<keyof UserData, string>;
