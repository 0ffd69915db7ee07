/** FAULT_ROUNDS, or by default a few repetitions, so that the run is short. */
export const rounds = (few: number): number => Number(process.env.FAULT_ROUNDS ?? few);
