export const database = { type: 'better-sqlite3', database: ':memory:' } as const;
