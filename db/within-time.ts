/** What the work answers, or undefined when it takes longer; it is not stopped then, only not waited for. */
export async function withinTime<T>(
  work: Promise<T>,
  milliseconds: number,
): Promise<T | undefined> {
  const { promise: timeout, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), milliseconds);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
