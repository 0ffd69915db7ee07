import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InvestorUseCases } from '#core';
import type { Json } from '../support/http-client.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { startService, type TestService } from '../support/service.ts';

/** An investor's own actions. Only this investor may see them. */
interface Party {
  readonly investorId: string;
  readonly company: string;
  key: string;
  readonly endpoints: string[];
  readonly requestIds: string[];
}

const acts = ['read', 'add', 'remove', 'rotate', 'read of another', 'touch another'] as const;

const steps = fc.array(
  fc.record({ who: fc.nat({ max: 2 }), other: fc.nat({ max: 2 }), act: fc.constantFrom(...acts) }),
  { minLength: 4, maxLength: 12 },
);

const below = [
  ['GET', ''],
  ['DELETE', ''],
  ['POST', '/enable'],
  ['POST', '/rotate-secret'],
  ['POST', '/test'],
  ['GET', '/deliveries'],
] as const;

async function createParty({ fixtures }: TestService): Promise<Party> {
  const made = await fixtures.readablePortfolio({ rateLimit: 100_000 });
  const { investor, company, key } = made;
  return { investorId: investor.id, company: company.id, key, endpoints: [], requestIds: [] };
}

/** @throws Error if a party can do something that only the owner may do */
async function perform(service: TestService, party: Party, other: Party, act: string) {
  const { call, get, post } = service;
  const path = '/v1/webhook-endpoints';
  const read = async (company: string) => {
    const answer = await get(`/v1/companies/${company}/metrics`, party.key);
    party.requestIds.push(String(answer.headers['svc-request-id']));
  };
  switch (act) {
    case 'read':
      return read(party.company);
    case 'read of another':
      return read(other.company);
    case 'add': {
      if (party.endpoints.length === 10) return;
      const { body } = await post(path, party.key, { url: 'https://hooks.example.com' });
      party.endpoints.push(body.id);
      return;
    }
    case 'remove': {
      const id = party.endpoints.pop();
      if (id !== undefined) await call('DELETE', `${path}/${id}`, { key: party.key });
      return;
    }
    case 'rotate': {
      party.key = (await post('/v1/api-key/rotate', party.key, { overlap_seconds: 0 })).body.secret;
      return;
    }
    default:
      for (const id of party === other ? [] : other.endpoints) {
        for (const [method, rest] of below) {
          const { status } = await call(method, `${path}/${id}${rest}`, { key: party.key });
          if (status !== 404) throw new Error(`${method} of another's endpoint: ${status}`);
        }
      }
  }
}

async function check({ get }: TestService, party: Party, others: readonly Party[]): Promise<void> {
  const idsOf = (list: Json, name: string) => list.data.map((item: Json) => item[name]).toSorted();
  const endpoints = (await get('/v1/webhook-endpoints', party.key)).body;
  expect(idsOf(endpoints, 'id')).toEqual(party.endpoints.toSorted());
  expect((await get('/v1/api-key', party.key)).body.investor.id).toBe(party.investorId);
  const records = await get('/v1/access-records?limit=200', party.key);
  expect(idsOf(records.body, 'request_id')).toEqual(party.requestIds.toSorted());
  for (const { company } of others) expect(records.text).not.toContain(company);
}

const run = (service: TestService, numRuns: number) =>
  fc.assert(
    fc.asyncProperty(steps, async (some) => {
      const parties = [
        await createParty(service),
        await createParty(service),
        await createParty(service),
      ];
      const partyAt = (index: number) => parties[index] as Party;
      for (const { who, other, act } of some) {
        await perform(service, partyAt(who), partyAt(other), act);
      }
      for (const party of parties) {
        await check(
          service,
          party,
          parties.filter((each) => each !== party),
        );
      }
    }),
    { numRuns, endOnFailure: true },
  );

describe('an investor’s own keys, webhooks and records', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService({ storage: { memory: true } });
  });
  afterAll(() => service?.close());

  it('are hidden from other investors, who can’t change them either, whatever they do', async () => {
    await run(service, propertyRuns(200));
  });
});

const leaks: readonly (readonly [string, (useCases: InvestorUseCases) => InvestorUseCases])[] = [
  [
    'webhook endpoints of other investors that can be found',
    (useCases) => ({
      ...useCases,
      readWebhookEndpoint: (caller, input) =>
        useCases
          .readWebhookEndpoint(caller, input)
          .catch(() => ({ ...endpoint, owner: { investorId: caller.investorId } })),
    }),
  ],
  [
    'records that name any company',
    (useCases) => ({
      ...useCases,
      async listOwnRecords(caller, input) {
        const page = await useCases.listOwnRecords(caller, input);
        const named = page.items.map((item) => ({
          ...item,
          company: item.company ?? { id: item.record.companyId ?? '', name: 'Leaked' },
        }));
        return { ...page, items: named };
      },
    }),
  ],
  [
    'a key of another investor',
    (useCases) => ({
      ...useCases,
      async readCallingKey(caller) {
        const found = await useCases.readCallingKey(caller);
        return { ...found, investor: { ...found.investor, id: 'inv_other' } };
      },
    }),
  ],
];

const endpoint = {
  id: 'we_0',
  url: 'https://hooks.example.com',
  types: [],
  secret: '',
  previousSecret: null,
  previousSecretUntil: null,
  createdAt: new Date(),
  disabledAt: null,
  droppedDataEvents: 0,
  disabledReason: null,
};

describe('the property', () => {
  it.each(leaks)('finds a planted leak: %s', async (_name, interpose) => {
    const service = await startService({ storage: { memory: true }, interpose });
    try {
      await expect(run(service, 50)).rejects.toThrow();
    } finally {
      await service.close();
    }
  });
});
