/** How often a scenario is repeated: FAULT_ROUNDS, or else the few times for which everybody has the time. */
export const rounds = (few: number): number => Number(process.env.FAULT_ROUNDS ?? few);
