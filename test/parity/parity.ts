import { afterAll, afterEach, beforeAll, describe, it, vi } from 'vitest';
import { type Backend, memory } from '../support/backends.ts';
import { startService, type TestService } from '../support/service.ts';
import { createDrivers, type Drivers } from './drivers/index.ts';
import type { Given, Topic } from './scenario.ts';
import { createStandIns } from './stand-ins.ts';

/** Only the tests of limits reach these limits. */
const environment = { RATE_LIMIT_POINTS: '100000', PENDING_TTL_DAYS: '1' };

const names = { rest: 'REST', graphql: 'GraphQL', trpc: 'tRPC', mcp: 'MCP' } as const;
export const protocols = Object.keys(names) as (keyof typeof names)[];

const turnOf = (index: number) => protocols[index % protocols.length] ?? 'rest';

export interface Parts {
  readonly service: TestService;
  readonly drivers: Drivers;
  given(protocol: keyof Drivers): Given;
}

/**
 * In memory, each scenario runs in every protocol. On a database, each scenario runs in one
 * protocol, and the protocols take turns. Then runs the additional tests.
 */
export function describeParity(
  backend: Backend,
  topics: readonly Topic[],
  describeMore: (parts: () => Parts) => void = () => undefined,
): void {
  describe.skipIf(backend.isUnreachable)(`all protocols agree (${backend.name})`, () => {
    const standIns = createStandIns();
    let opened: { readonly service: TestService; readonly drivers: Drivers } | undefined;
    let release = async (): Promise<void> => undefined;

    beforeAll(async () => {
      const { storage, ...rest } = await backend.open();
      release = rest.release;
      const { interpose } = standIns;
      const service = await startService({ storage, environment, interpose });
      opened = { service, drivers: createDrivers(service) };
    });
    afterEach(() => {
      standIns.restore();
      vi.useRealTimers();
    });
    afterAll(async () => {
      for (const protocol of protocols) opened?.drivers[protocol].close();
      await opened?.service.close();
      await release();
    });

    function parts(): Parts {
      if (opened === undefined) throw new Error('the service did not start');
      const { service, drivers } = opened;
      const { fixtures, operator, background } = service;
      return {
        service,
        drivers,
        given: (protocol) => ({
          driver: drivers[protocol],
          fixtures,
          operator,
          background,
          standIns,
          asCompany: (method, path, ask) => service.call(method, `/company/v1${path}`, ask),
          setClock: (now) => vi.useFakeTimers({ toFake: ['Date'], now }),
        }),
      };
    }

    for (const { title, scenarios } of topics) {
      describe(title, () => {
        for (const [index, scenario] of scenarios.entries()) {
          for (const protocol of backend === memory ? protocols : [turnOf(index)]) {
            const name = `${scenario.name} (${names[protocol]})`;
            it(name, () => scenario.run(parts().given(protocol)));
          }
        }
      });
    }
    describeMore(parts);
  });
}
