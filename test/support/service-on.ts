import { afterAll } from 'vitest';
import type { Backend } from './backends.ts';
import { closedAfterAll } from './closed.ts';
import { type ServiceOptions, startService, type TestService } from './service.ts';

/** One database for all tests of the file. */
export async function startServiceOn(
  backend: Backend | undefined,
  options: Omit<ServiceOptions, 'storage'> = {},
): Promise<TestService> {
  if (backend === undefined) throw new Error('there is no database');
  const { storage, release } = await backend.open();
  afterAll(release);
  return closedAfterAll(startService({ storage, ...options }));
}
