/**
 * Returns the result of the work, or undefined after the time limit. The work continues. db/ has its own copy of this
 * function, because db/ can't import from gateway/.
 */
export async function withinTime<T>(
  work: Promise<T>,
  milliseconds: number,
): Promise<T | undefined> {
  const { promise: timeout, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), milliseconds);
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
