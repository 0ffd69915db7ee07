import { afterAll, onTestFinished } from 'vitest';

interface Closable {
  close(): unknown;
}

/** Closes it after all tests of the file; what was opened last is closed first. */
export async function closedAfterAll<T extends Closable>(opening: T | Promise<T>): Promise<T> {
  const opened = await opening;
  afterAll(async () => void (await opened.close()));
  return opened;
}

/** Closes it after the test that opens it. */
export async function closedAfterTest<T extends Closable>(opening: T | Promise<T>): Promise<T> {
  const opened = await opening;
  onTestFinished(async () => void (await opened.close()));
  return opened;
}
