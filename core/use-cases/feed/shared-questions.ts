/**
 * Asks once for all who want to know the same. Whoever comes while a question is under way waits for the next one, so
 * that no answer is older than the wish to have it: what has changed before somebody asked shows in what it is told.
 */
export class SharedQuestions<Answer> {
  readonly #underWay = new Map<string, Promise<unknown>>();
  /** Questions that are not sent yet. */
  readonly #waiting = new Map<string, Promise<Answer>>();

  /** @param about what makes two questions the same */
  ask(about: string, question: () => Promise<Answer>): Promise<Answer> {
    const waiting = this.#waiting.get(about);
    if (waiting !== undefined) return waiting;
    const before = this.#underWay.get(about) ?? Promise.resolve();
    const answer = before.then(() => this.#send(about, question));
    this.#waiting.set(about, answer);
    return answer;
  }

  #send(about: string, question: () => Promise<Answer>): Promise<Answer> {
    this.#waiting.delete(about);
    const answer = question().finally(() => this.#underWay.delete(about));
    this.#underWay.set(about, answer.then(nothing, nothing));
    return answer;
  }
}

const nothing = () => undefined;
