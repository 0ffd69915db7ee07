/** What the work answers, or undefined when it takes longer. The work goes on then, but nobody waits for it. */
export async function withinTime<T>(
  work: Promise<T>,
  milliseconds: number,
): Promise<T | undefined> {
  const { promise: timeout, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), milliseconds);
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
