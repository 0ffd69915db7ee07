/** Two worlds that cannot name, reach or count anything in each other. */
export const environments = ['live', 'test'] as const;

export type Environment = (typeof environments)[number];
