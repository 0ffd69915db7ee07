import { afterAll } from 'vitest';
import { backends } from '../../support/backends.ts';
import { closedAfterAll } from '../../support/closed.ts';
import { startService, type TestService } from '../../support/service.ts';

/** A service on a database of its own, for all tests of the file. */
export async function startMailingService(): Promise<TestService> {
  const [backend] = backends.toReversed();
  if (backend === undefined) throw new Error('there is no database');
  const { storage, release } = await backend.open();
  afterAll(release);
  return closedAfterAll(startService({ storage }));
}
