import { OneAtATime } from './one-at-a-time.ts';

/**
 * Asks once for all who want to know the same. Whoever comes while a question is under way waits for the next one, so
 * that no answer is older than the wish to have it: what has changed before somebody asked shows in what it is told.
 */
export class SharedQuestions<Answer> {
  readonly #sent = new OneAtATime();
  /** Questions that are not sent yet. */
  readonly #waiting = new Map<string, Promise<Answer>>();

  /** @param about what makes two questions the same */
  ask(about: string, question: () => Promise<Answer>): Promise<Answer> {
    return this.#waiting.getOrInsertComputed(about, () =>
      this.#sent.run(about, () => {
        this.#waiting.delete(about);
        return question();
      }),
    );
  }
}
