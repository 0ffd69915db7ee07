import { afterAll, beforeAll, describe } from 'vitest';
import { backends } from '../support/backends.ts';
import { type ServiceOptions, startService, type TestService } from '../support/service.ts';

/**
 * Runs the same cases against the whole service on each backend, or on one where the run is to be fast. What the
 * service promises does not depend on where it keeps its data.
 */
export function conformance(
  title: string,
  cases: (given: () => TestService) => void,
  options: Omit<ServiceOptions, 'storage'> = {},
): void {
  for (const backend of backends) {
    describe.skipIf(backend.isUnreachable)(`${title} (${backend.name})`, () => {
      let service: TestService | undefined;
      let release = async (): Promise<void> => undefined;

      beforeAll(async () => {
        const opened = await backend.open();
        release = opened.release;
        service = await startService({ storage: opened.storage, ...options });
      });
      afterAll(async () => {
        await service?.close();
        await release();
      });

      cases(() => {
        if (service === undefined) throw new Error('the service did not start');
        return service;
      });
    });
  }
}
