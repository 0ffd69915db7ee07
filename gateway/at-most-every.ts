/** Asks again only when the last answer is old enough; whoever asks before that, or meanwhile, gets the last one. */
export function atMostEvery<T>(milliseconds: number, ask: () => Promise<T>): () => Promise<T> {
  let asked = Number.NEGATIVE_INFINITY;
  let answer: Promise<T> | undefined;
  return () => {
    const now = performance.now();
    if (answer === undefined || now - asked >= milliseconds) {
      asked = now;
      answer = ask();
    }
    return answer;
  };
}
