export const tables = { synchronize: true };
