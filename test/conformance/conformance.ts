import { describe } from 'vitest';
import { type Backend, backends, memory, pooled, postgres } from '../support/backends.ts';
import type { Portfolio } from '../support/fixtures.ts';
import { type ServiceOptions, startService, type TestService } from '../support/service.ts';
import { startServiceOn } from '../support/service-on.ts';

const isFull = process.env.FULL_TESTS !== undefined;
const tried: readonly Backend[] = isFull ? [memory, postgres, pooled] : [memory];

/** The backends for tests of webhooks, which the service in memory can't send. */
export const databases: readonly Backend[] = isFull ? [...backends, pooled] : backends;

const shared = new Map<Backend, Promise<TestService>>();

/** Starts one service per backend and process. It is never closed: it ends with the process. */
function sharedService(backend: Backend): Promise<TestService> {
  const service =
    shared.get(backend) ?? backend.open().then(({ storage }) => startService({ storage }));
  shared.set(backend, service);
  return service;
}

/**
 * Runs the same cases against the whole service: in memory, and with FULL_TESTS also on PostgreSQL, because the
 * behaviour doesn't depend on the storage. Without its own options a file shares the service with the other files of
 * the process.
 */
export function conformance(
  title: string,
  cases: (service: TestService) => void,
  options?: Omit<ServiceOptions, 'storage'>,
  on = tried,
): void {
  for (const backend of on) {
    const name = `${title} (${backend.name})`;
    if (backend.isUnreachable) {
      describe.todo(name);
      continue;
    }
    describe(name, async () => {
      cases(
        options === undefined
          ? await sharedService(backend)
          : await startServiceOn(backend, options),
      );
    });
  }
}

const readable = new WeakMap<TestService, Promise<Portfolio>>();

/** Returns a company with readable data. All tests that don't change it share it. */
export function sharedPortfolio(service: TestService): Promise<Portfolio> {
  const made = readable.get(service) ?? service.fixtures.readablePortfolio();
  readable.set(service, made);
  made.catch(() => readable.delete(service));
  return made;
}
