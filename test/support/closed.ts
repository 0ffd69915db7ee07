import { afterAll, onTestFinished } from 'vitest';

interface Closable {
  close(): unknown;
}

/** Closes the value after all tests of the file. The last opened value is closed first. */
export async function closedAfterAll<T extends Closable>(opening: T | Promise<T>): Promise<T> {
  const opened = await opening;
  afterAll(async () => void (await opened.close()));
  return opened;
}

/** Closes the value after the test that opens it. */
export async function closedAfterTest<T extends Closable>(opening: T | Promise<T>): Promise<T> {
  const opened = await opening;
  onTestFinished(async () => void (await opened.close()));
  return opened;
}
