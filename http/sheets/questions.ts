export const questionAnswers = {
  encoding: ['windows-1252', 'macintosh'],
  dates: ['day_first', 'month_first'],
  numbers: ['thousands', 'decimals'],
  dashes: ['zero', 'none'],
  keys: ['known', 'new'],
  first_days: ['month', 'day'],
  percents: ['percent', 'fraction'],
  repeats: ['first', 'last'],
} as const;

export type SheetQuestionId = keyof typeof questionAnswers;

export type SheetAnswers = {
  readonly [Id in SheetQuestionId]?: (typeof questionAnswers)[Id][number];
};

export const questionIds = Object.keys(questionAnswers) as readonly SheetQuestionId[];

/** Ignores invalid answers. */
export function readAnswers(answerTo: (id: SheetQuestionId) => string | undefined): SheetAnswers {
  const validAnswers = questionIds.flatMap((id) => {
    const answer = questionAnswers[id].find((each) => each === answerTo(id));
    return answer === undefined ? [] : [[id, answer] as const];
  });
  return Object.fromEntries(validAnswers);
}

/** A row that can be read in two ways. `readings` has the same order as the answers. */
export interface Example {
  readonly line: number;
  readonly key: string;
  readonly text: string;
  readonly readings: readonly [string, string];
}

export interface SheetQuestion {
  readonly id: SheetQuestionId;
  readonly count: number;
  /** The first three of the rows that the question is about. */
  readonly examples: readonly Example[];
}

const maxExamples = 3;

export const createQuestion = (
  id: SheetQuestionId,
  examples: readonly Example[],
): readonly SheetQuestion[] =>
  examples.length === 0
    ? []
    : [{ id, count: examples.length, examples: examples.slice(0, maxExamples) }];
