import type { ValueTransformer } from 'typeorm';

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
