import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AccessError, type CompanyCaller, type GrantableScope, grantableScopes } from '#core';
import { verifyReceipts } from '../../../../verify/index.ts';
import { propertyRuns } from '../../../support/property-runs.ts';
import {
  confirm,
  jwksOf,
  payloadOf,
  type ShownReceipt,
  verifyChain,
} from '../../../support/receipt-chain.ts';
import { createWorld, day, type Newcomer, newcomerIn, type World } from '../../world.ts';

const someScopes = fc.uniqueArray(fc.constantFrom(...grantableScopes), { minLength: 1 });
const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const days = fc.integer({ min: 1, max: 40 });

const step = fc.oneof(
  fc.record({ do: fc.constant('ask' as const), scopes: someScopes, purpose: text }),
  fc.record({ do: fc.constant('amend' as const), scopes: someScopes, purpose: text }),
  fc.record({ do: fc.constant('approve' as const), scopes: someScopes, days }),
  fc.record({ do: fc.constant('extend' as const), days }),
  fc.record({ do: fc.constantFrom('decline', 'revoke'), reason: text }),
  fc.record({ do: fc.constantFrom('withdraw', 'operate', 'sweep', 'rotate', 'lose', 'find') }),
  fc.record({ do: fc.constant('wait' as const), days }),
) as fc.Arbitrary<Step>;

interface Step {
  readonly do: string;
  readonly scopes: GrantableScope[];
  readonly purpose: string;
  readonly reason: string;
  readonly days: number;
}

/** Ignores refusals, because an impossible step makes no receipt. */
async function isDone(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof AccessError)) throw error;
  });
}

async function live(steps: readonly Step[]) {
  let hasKey = true;
  const { world, newcomer } = await newcomerIn(
    createWorld(({ signer }) => ({
      signer: { ...signer, current: async () => (hasKey ? signer.current() : null) },
    })),
  );
  const company = await world.admitCompany(newcomer.companyId);
  const ids: string[] = [];
  for (const step of steps) {
    if (step.do === 'lose' || step.do === 'find') hasKey = step.do === 'find';
    else await isDone(take(world, newcomer, company, ids, step));
  }
  hasKey = true;
  await world.operator.signMissingReceipts({ confirm });
  return { world, newcomer, ids: [...new Set(ids)] };
}

async function take(
  world: World,
  { caller, companyId }: Newcomer,
  company: CompanyCaller,
  ids: string[],
  { do: deed, scopes, purpose, reason, days: count }: Step,
): Promise<unknown> {
  const { callers, companies, operator, background, clock } = world;
  const id = ids.at(-1) ?? 'ar_none';
  const expiresAt = new Date(clock.now().getTime() + (count ?? 0) * day);
  switch (deed) {
    case 'ask': {
      const asked = await callers.requestAccess(caller, { companyId, scopes, purpose });
      return ids.push(asked.accessRequest.id);
    }
    case 'amend':
      return callers.amendAccessRequest(caller, { id, scopes, purpose });
    case 'withdraw':
      return callers.withdrawAccessRequest(caller, { id });
    case 'approve':
      return companies.approveRequest(company, { id, scopes, expiresAt });
    case 'extend':
      return companies.extendRequest(company, { id, expiresAt });
    case 'decline':
      return companies.declineRequest(company, { id, reason });
    case 'revoke':
      return companies.revokeRequest(company, { id, reason });
    case 'operate':
      return ids.length > 0 && operator.approveAccessRequest({ id });
    case 'sweep':
      await background.announceExpiringGrants();
      return background.expireAccessRequests();
    case 'rotate':
      return operator.rotateSigningKey({ atOnce: true });
    default:
      return clock.advance(count * day);
  }
}

test('the receipts of each request verify and match its history after any sequence of steps', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { world, newcomer, ids } = await live([
        { do: 'ask', scopes: ['metrics:read'], purpose: 'First.' } as Step,
        ...steps,
      ]);
      const jwks = jwksOf(await world.ports.signingKeys.list());
      for (const id of ids) {
        const { items } = await world.callers.readReceipts(newcomer.caller, { id });
        const payloads = await verifyChain(items, jwks);
        expect(await verifyReceipts(items, { jwks })).toMatchObject({ valid: true });
        const history = await world.callers.readAccessRequestHistory(newcomer.caller, { id });
        expect(
          payloads.map((said) => [
            said.event_id,
            said.event_type,
            said.actor,
            said.reason,
            said.approved_scopes,
            said.valid_until,
            said.status,
            said.issued_at,
          ]),
        ).toEqual(
          history.map((event) => [
            event.id,
            event.type,
            event.actor,
            event.reason,
            event.accessRequest.approvedScopes,
            event.accessRequest.expiresAt?.toISOString() ?? null,
            event.accessRequest.status,
            event.createdAt.toISOString(),
          ]),
        );
      }
    }),
    { numRuns: propertyRuns(300) },
  );
});

/** Ways to forge a chain. Each of them changes the chain. */
const forgeries: Record<
  string,
  (chain: ShownReceipt[], at: number, other: ShownReceipt) => unknown
> = {
  'removes a receipt': (chain, at) => chain.splice(at, 1),
  'removes several receipts': (chain, at) => chain.splice(at, chain.length - 1 - at),
  'repeats a receipt': (chain, at) => chain.splice(at, 0, chain[at] as ShownReceipt),
  'swaps two receipts': (chain, at) => {
    const [one, next] = chain.slice(at, at + 2) as [ShownReceipt, ShownReceipt];
    chain.splice(at, 2, next, one);
  },
  'reverses the chain': (chain) => chain.reverse(),
  'inserts a receipt of another request': (chain, at, other) => chain.splice(at, 0, other),
  'replaces a receipt with a receipt of another request': (chain, at, other) =>
    chain.splice(at, 1, other),
  'gives a receipt the id of the next receipt': (chain, at) =>
    chain.splice(at, 1, { ...chain[at], id: chain[at + 1]?.id } as ShownReceipt),
};

async function longChain() {
  const { world, newcomer, ids } = await live([
    { do: 'ask', scopes: ['metrics:read', 'sources:read'], purpose: 'Why “é” 📈' } as Step,
    { do: 'approve', scopes: ['metrics:read'], days: 20 } as Step,
    { do: 'amend', scopes: ['accounts:read'], purpose: 'More.' } as Step,
    { do: 'extend', days: 30 } as Step,
    { do: 'rotate' } as Step,
    { do: 'decline', reason: 'No.' } as Step,
    { do: 'revoke', reason: 'Over.' } as Step,
    { do: 'ask', scopes: ['metrics:read'], purpose: 'Again.' } as Step,
  ]);
  const jwks = jwksOf(await world.ports.signingKeys.list());
  const [first = [], second = []] = await Promise.all(
    ids.map(async (id) => (await world.callers.readReceipts(newcomer.caller, { id })).items),
  );
  return { chain: first, other: second[0] as ShownReceipt, jwks };
}

test.each(Object.entries(forgeries))(
  'the verification fails if a forger %s',
  async (_what, forge) => {
    const { chain, other, jwks } = await longChain();
    await verifyChain(chain, jwks);
    for (let at = 0; at < chain.length - 1; at += 1) {
      const forged = [...chain];
      forge(forged, at, other);
      await expect(verifyChain(forged, jwks)).rejects.toThrow();
      expect(await verifyReceipts(forged, { jwks })).toMatchObject({ valid: false });
    }
  },
);

test('the verification fails if any field or byte is changed', async () => {
  const { chain, jwks } = await longChain();
  const paths = [...leaves(payloadOf(chain[1] as ShownReceipt))];
  expect(paths.length).toBeGreaterThan(18);
  for (const path of paths) {
    for (const [index, { id, jws }] of chain.entries()) {
      const [header, , signature] = jws.split('.');
      const payload = payloadOf({ jws });
      if (!change(payload, path)) continue;
      const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
      const forged = chain.with(index, { id, jws: `${header}.${text}.${signature}` });
      await expect(verifyChain(forged, jwks)).rejects.toThrow();
    }
  }
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat(), fc.constantFrom(...'Ab0-_'), async (which, at, letter) => {
      const index = which % chain.length;
      const { id, jws } = chain[index] as ShownReceipt;
      const place = at % (jws.length - 2);
      fc.pre(jws[place] !== letter && jws[place] !== '.');
      const forged = `${jws.slice(0, place)}${letter}${jws.slice(place + 1)}`;
      await expect(verifyChain(chain.with(index, { id, jws: forged }), jwks)).rejects.toThrow();
    }),
    { numRuns: propertyRuns(400) },
  );
});

type Path = readonly string[];

function* leaves(value: unknown, path: Path = []): Generator<Path> {
  if (value === null || typeof value !== 'object') yield path;
  else for (const [name, member] of Object.entries(value)) yield* leaves(member, [...path, name]);
}

/** Changes one field and returns whether the payload has it. */
function change(payload: Record<string, unknown>, path: Path): boolean {
  let holder = payload;
  for (const name of path.slice(0, -1)) holder = Object(holder[name]);
  const last = path.at(-1) ?? '';
  if (!Object.hasOwn(holder, last)) return false;
  holder[last] = typeof holder[last] === 'number' ? 2 : `${holder[last] ?? ''}x`;
  return true;
}

test('a chain without its newest receipts verifies, so its end must be compared with the request', async () => {
  const { chain, jwks } = await longChain();
  const payloads = await verifyChain(chain.slice(0, -1), jwks);
  expect(payloads.at(-1)?.status).not.toBe((await verifyChain(chain, jwks)).at(-1)?.status);
});

test('an operator registers a signing key through the signer port', async () => {
  const registered = { kid: 'put-there-by-hand', signsAt: new Date() };
  const world = createWorld(({ signer }) => ({
    signer: { ...signer, register: async () => registered },
  }));
  expect(await world.operator.registerSigningKey()).toEqual(registered);
});
