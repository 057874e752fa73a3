import type { ValueTransformer } from 'typeorm';

/**
 * Stores a `Date` as milliseconds since 1970 in a `bigint` column. All databases store and compare these alike; columns
 * for dates differ in precision and time zone.
 *
 * @example
 * ```ts
 * @Column({ type: 'bigint', nullable: true, transformer: milliseconds })
 * lastLoginAt!: Date | null;
 * ```
 */
export const milliseconds: ValueTransformer = {
  to: (value: unknown) => (value instanceof Date ? value.getTime() : value),
  // Drivers return 64-bit integers as text.
  from: (value: number | string | null) => (value === null ? null : new Date(Number(value))),
};

/**
 * Reads a number from a `bigint` column. Drivers return 64-bit integers as text.
 *
 * @example
 * ```ts
 * @Column({ type: 'bigint', transformer: wholeNumber })
 * expiresAt!: number;
 * ```
 */
export const wholeNumber: ValueTransformer = {
  to: (value: number | null) => value,
  from: (value: number | string | null) => (value === null ? null : Number(value)),
};
