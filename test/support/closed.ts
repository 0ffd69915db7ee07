import { afterAll, onTestFinished } from 'vitest';

interface Closable {
  close(): unknown;
}

/** Closes values after all tests of the file, in the reverse order of their opening. */
export async function closedAfterAll<T extends Closable>(opening: T | Promise<T>): Promise<T> {
  const opened = await opening;
  afterAll(async () => void (await opened.close()));
  return opened;
}

export async function closedAfterTest<T extends Closable>(opening: T | Promise<T>): Promise<T> {
  const opened = await opening;
  onTestFinished(async () => void (await opened.close()));
  return opened;
}
