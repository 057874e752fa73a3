export const database = { type: 'better-sqlite3', database: process.env.DATABASE ?? ':memory:' } as const;
