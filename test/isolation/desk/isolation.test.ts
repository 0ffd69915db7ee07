import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccessError } from '#core';
import { aCall } from '../../support/call.ts';
import { importLines, sampleData } from '../../support/fixtures.ts';
import { loadingReads } from '../../support/loading-reads.ts';
import { someCases } from '../../support/property-runs.ts';
import type { Harness } from '../harness.ts';
import { companyActs, investorActs } from '../roles/acts.ts';
import { type Side, send } from '../roles/attempts.ts';
import { createWorld, everything, open, type World } from '../roles/world.ts';
import { companyLeaks, investorLeaks } from './leaks.ts';

const actsOf = { company: companyActs, investor: investorActs };

/** Pages that show data of the session, not of one organisation. */
const pagesOfSession = ['/desk/companies', '/desk/sessions'];

async function admit({ service }: Harness, { session }: World) {
  const admission = await service.contacts.admitContact(session, 1, aCall);
  if ('refusal' in admission) throw admission.refusal;
  return admission.caller;
}

/** An organisation, data that contains the company's ID, and a recorded read of this data. */
async function createReadWorld(given: Harness, side: Side): Promise<World> {
  const { operator, get } = given.service;
  const world = await createWorld(given, side, 'admin', 'link');
  const { companyId, apiKey } = world;
  const [metric] = sampleData(companyId);
  await importLines(operator, [{ ...metric, key: 'named', label: `Figures of ${companyId}` }]);
  await get(`/v1/companies/${companyId}/metrics`, apiKey);
  return { ...world, dataVersion: await given.ports.companyData.version(companyId) };
}

/** IDs and addresses of an organisation, which no page of another organisation may contain. */
async function wordsOf(given: Harness, world: World): Promise<string[]> {
  const { companyId, investorId, neighbourId, pending, granted, keyId, endpointId } = world;
  const { credentialId } = await admit(given, world);
  return [
    ...[companyId, investorId, neighbourId, keyId, endpointId, credentialId],
    ...[pending.id, pending.investorId, granted.id, world.colleague.email, world.person.email],
  ];
}

/** @throws Error if an admin can see or change data of another organisation */
async function expectApart(given: Harness, side: Side): Promise<void> {
  const { browser } = given;
  const own = await createReadWorld(given, side);
  const others = await createReadWorld(given, side);
  const before = JSON.stringify(await everything(given, others));
  const words = await wordsOf(given, others);

  for (const { name, form } of actsOf[side]) {
    const page = form?.(own);
    if (page === undefined || page.fields !== undefined) continue;
    const outcome = await browser.get(own.session, page.path);
    assert.ok(outcome.ok, `${name}: ${page.path}`);
    const seen = words.filter((word) => outcome.wire.text.includes(word));
    assert.deepEqual(seen, [], `${name}: ${page.path}`);
  }
  for (const path of pagesOfSession) {
    const { wire } = await browser.get(own.session, path);
    assert.deepEqual(
      words.filter((word) => wire.text.includes(word)),
      [],
      path,
    );
  }

  for (const { name, form } of actsOf[side]) {
    const foreign = form?.(others);
    if (foreign === undefined || foreign.path === form?.(own).path) continue;
    const outcome = await send(given, own, side, foreign);
    // A comparison only leaves out companies outside the portfolio, so it isn't an error.
    const expected = foreign.path.startsWith('/desk/compare') ? 'done' : 'status 404';
    assert.equal(outcome, expected, `${name}: ${foreign.path}`);
  }

  const useCases = side === 'company' ? given.companyUseCases : given.investorUseCases;
  for (const { name, ask } of actsOf[side]) {
    const { world, isForeign } = watched(own, others);
    const caller = (await admit(given, own)) as never;
    const answer = await answerOf(async () => ask(loadingReads(useCases) as never, caller, world));
    if (!isForeign()) continue;
    const seen = ['rawValue', 'reads', ...words].filter((word) => answer.includes(word));
    assert.deepEqual(seen, [], `${name}: ${answer}`);
  }

  const organisation = side === 'company' ? others.companyId : others.investorId;
  const chosen = await browser.post(own.session, '/desk/companies', { organisation });
  assert.equal(chosen.ok ? 'done' : chosen.code, 'status 404', 'another organisation is chosen');
  const { credentialId } = await admit(given, others);
  await browser.post(own.session, '/desk/sessions/end', { id: credentialId });
  await admit(given, others);
  assert.equal(JSON.stringify(await everything(given, others)), before);
}

/**
 * A world whose IDs belong to another organisation, and a function that returns true once an action
 * has used one of them.
 */
function watched(own: World, others: World) {
  let looked = false;
  const world = new Proxy(own, {
    get(_, name: keyof World) {
      if (name === 'record') return own.record;
      looked = true;
      return others[name];
    },
  });
  return { world, isForeign: () => looked };
}

/** Returns the answer as text, or the code of a refusal, without companies that the answer itself refuses. */
async function answerOf(act: () => Promise<unknown>): Promise<string> {
  try {
    const answer = JSON.stringify(await act(), (_, value) => {
      if (value instanceof Map) return [...value];
      return Object.values(value ?? {}).includes('company_not_found') ? null : value;
    });
    return String(answer);
  } catch (error) {
    if (error instanceof AccessError) return error.code;
    throw error;
  }
}

describe.each(['company', 'investor'] as const)('an admin of the %s', (side) => {
  let given: Harness;
  beforeAll(async () => {
    given = await open();
  });
  afterAll(() => given?.close());

  it('neither sees nor changes another organisation’s data on any page, whatever IDs its forms contain', async () => {
    await expectApart(given, side);
  });
});

const leaks = [
  ...Object.entries(companyLeaks).map(([name, leak]) => ['company', name, leak] as const),
  ...Object.entries(investorLeaks).map(([name, leak]) => ['investor', name, leak] as const),
];

describe('the test of admins', () => {
  it.each(someCases(leaks))('(%s) catches a policy that %s', async (side, _name, leak) => {
    const given = await open(leak);
    try {
      await expect(expectApart(given, side)).rejects.toThrow();
    } finally {
      await given.close();
    }
  });
});
