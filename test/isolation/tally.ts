export interface Tally {
  note(protocol: string, answer: string): void;
  count(): number;
  answers(protocol: string): string[];
}

export function createTally(): Tally {
  const seen = new Map<string, Map<string, number>>();
  return {
    note(protocol, answer) {
      const answers = seen.get(protocol) ?? new Map<string, number>();
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      seen.set(protocol, answers);
    },
    count: () =>
      [...seen.values()]
        .flatMap((answers) => [...answers.values()])
        .reduce((sum, times) => sum + times, 0),
    answers: (protocol) => [...(seen.get(protocol)?.keys() ?? [])],
  };
}
