/** The number of repetitions of a test: FAULT_ROUNDS, or by default a few, so that the run is short. */
export const rounds = (few: number): number => Number(process.env.FAULT_ROUNDS ?? few);
