import { type DataSource, EntityManager } from 'typeorm';
import { dataSourceOf } from './data-source-of.js';

/**
 * The transaction of a change if it is one of this data source, so that other tables of it can join.
 *
 * @param transaction `AccountChange.transaction`, which is whatever the user store says
 * @returns undefined for a transaction of another data source or library
 */
export function joinedTransaction(dataSource: DataSource, transaction: unknown): EntityManager | undefined {
  return transaction instanceof EntityManager && dataSourceOf(transaction) === dataSource
    ? transaction
    : undefined;
}
