import { describe } from 'vitest';
import { companyScopes } from '#core';
import { type Backend, memory, pooled, postgres } from '../support/backends.ts';
import type { Portfolio } from '../support/fixtures.ts';
import type { Json } from '../support/http-client.ts';
import { type ServiceOptions, startService, type TestService } from '../support/service.ts';
import { startServiceOn } from '../support/service-on.ts';

const isFull = process.env.FULL_TESTS !== undefined;
const tried: readonly Backend[] = isFull ? [memory, postgres, pooled] : [memory];

const shared = new Map<Backend, Promise<TestService>>();

/** One service per backend and process. It ends with the process. */
function sharedService(backend: Backend): Promise<TestService> {
  const service =
    shared.get(backend) ?? backend.open().then(({ storage }) => startService({ storage }));
  shared.set(backend, service);
  return service;
}

/**
 * Runs the cases in memory, and with FULL_TESTS also on PostgreSQL, because behaviour must not
 * depend on the storage. Files without their own options share one service per process.
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

/** All tests that don't change the data share this company. */
export function sharedPortfolio(service: TestService): Promise<Portfolio> {
  const made = readable.get(service) ?? service.fixtures.readablePortfolio();
  readable.set(service, made);
  made.catch(() => readable.delete(service));
  return made;
}

interface Api {
  readonly name: string;
  readonly document: Json;
  /** The first characters of each key of this API. */
  readonly prefix: string;
  createKey(): Promise<string>;
}

/** Each API has a key that may call every operation. */
export const apisOf = ({
  document,
  companyDocument,
  fixtures,
  operator,
}: TestService): readonly Api[] => [
  {
    name: 'investors',
    document,
    prefix: 'svc_sk_live_',
    createKey: async () => (await fixtures.portfolio()).key,
  },
  {
    name: 'companies',
    document: companyDocument,
    prefix: 'svc_ck_live_',
    async createKey() {
      const { id: companyId } = await fixtures.company();
      return (await operator.createCompanyKey({ companyId, scopes: companyScopes })).secret;
    },
  },
];

export const pathsOf = (document: Json): { readonly path: string; readonly methods: string[] }[] =>
  Object.entries<Json>(document.paths).map(([path, item]) => ({
    path: path.replaceAll(/\{\w+\}/g, 'co_none'),
    methods: Object.keys(item).map((method) => method.toUpperCase()),
  }));

/** Unknown IDs replace the parameters in paths. */
export const operationsOf = (document: Json) =>
  pathsOf(document).flatMap(({ path, methods }) => methods.map((method) => ({ method, path })));
