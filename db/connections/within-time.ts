/** Returns undefined after the time limit. The work continues. */
export async function withinTime<T>(
  work: Promise<T>,
  milliseconds: number,
): Promise<T | undefined> {
  const { promise: timeout, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), milliseconds);
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
