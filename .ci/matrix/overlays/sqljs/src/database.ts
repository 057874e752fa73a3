export const database = { type: 'sqljs' } as const;
