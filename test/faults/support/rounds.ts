/** The number of repetitions of a scenario: FAULT_ROUNDS, or a few by default to keep runs short. */
export const rounds = (few: number): number => Number(process.env.FAULT_ROUNDS ?? few);
