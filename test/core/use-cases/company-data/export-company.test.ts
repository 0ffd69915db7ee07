import { describe, expect, test } from 'vitest';
import type { ExportedRecord } from '#core';
import { importLines, sampleData } from '../../../support/fixtures.ts';
import { payloadOf } from '../../../support/receipt-chain.ts';
import { withoutKey } from '../../builders.ts';
import { aPortfolio, createWorld, expectRefusal, type World } from '../../world.ts';

async function exported(world: World, companyId: string): Promise<ExportedRecord[]> {
  const records: ExportedRecord[] = [];
  await world.operator.exportCompany(companyId, async (batch) => {
    records.push(...batch);
  });
  return records;
}

const kindsOf = (records: readonly ExportedRecord[]) =>
  Object.fromEntries(
    [...Map.groupBy(records, ({ type }) => type)].map(([type, own]) => [type, own.length]),
  );

const headsIn = (records: readonly ExportedRecord[]) =>
  records.flatMap((record) =>
    record.type === 'receipts_head' ? payloadOf({ jws: record.head }) : [],
  );

describe('an export', () => {
  test('contains all data of the company, with signatures and receipts', async () => {
    const world = createWorld();
    const { company } = await world.readablePortfolio();
    const [line] = sampleData(company.id);
    await importLines(world.operator, [{ ...line, raw_value: 7 }]);
    const records = await exported(world, company.id);
    expect(kindsOf(records)).toEqual({
      company: 1,
      source: 2,
      account: 2,
      metric: 5,
      receipt: 2,
      receipts_head: 1,
    });
    for (const record of records) {
      if (record.type === 'metric') expect(record.metric.verification.signed).toBe(true);
      if (record.type === 'receipt')
        expect(record.receipt.jws).toMatch(/^[\w-]+\.[\w-]+\.[\w-]{86}$/);
    }
  });

  test('contains a request’s receipts only up to the first unsigned one', async () => {
    let hasKey = true;
    const world = createWorld(({ signer }) => ({
      signer: { ...signer, current: async () => (hasKey ? signer.current() : null) },
    }));
    const { company, key } = await world.portfolio();
    const { id } = await world.request(key, company.id);
    hasKey = false;
    await world.operator.approveAccessRequest({ id });
    hasKey = true;
    await world.operator.revokeAccessRequest({ id });
    const records = await exported(world, company.id);
    expect(kindsOf(records)).toEqual({ company: 1, receipt: 1, receipts_head: 1 });
    expect(headsIn(records)).toMatchObject([
      { access_request_id: id, receipts: 1, awaits_signature: true },
    ]);
    expect(await world.operator.exportCompany(company.id, async () => undefined)).toBe(2);
  });

  test('contains the receipt count of each access request, as a receipts_head record after the receipts', async () => {
    const { world, company, key } = await aPortfolio();
    const { id } = await world.request(key, company.id);
    await world.operator.declineAccessRequest({ id });
    const { id: next } = await world.request(key, company.id);
    const records = await exported(world, company.id);
    expect(records.map(({ type }) => type).slice(1)).toEqual([
      'receipt',
      'receipt',
      'receipts_head',
      'receipt',
      'receipts_head',
    ]);
    expect(headsIn(records)).toMatchObject([
      { access_request_id: id, receipts: 2 },
      { access_request_id: next, receipts: 1 },
    ]);
  });

  test('contains neither receipts nor receipts_head records if there is no signing key', async () => {
    const world = createWorld(withoutKey);
    const { company, key } = await world.portfolio();
    await world.request(key, company.id);
    expect(kindsOf(await exported(world, company.id))).toEqual({ company: 1 });
  });

  test('is refused for a company that doesn’t exist', async () => {
    const world = createWorld();
    await expectRefusal(exported(world, 'co_nobody'), 'company_not_found', 'co_nobody');
  });
});
