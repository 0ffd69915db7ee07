import { describe, expect, test } from 'vitest';
import { asOfNow } from '../../../support/call.ts';
import { withoutKey } from '../../builders.ts';
import { createWorld, type World } from '../../world.ts';

const ids = [
  'co_test_approves',
  'co_test_approves_part',
  'co_test_declines',
  'co_test_revokes',
  'co_test_expires',
  'co_test_never_answers',
];

const keys = ['cash_balance', 'headcount', 'mrr'];

/** The time when the figures of the last complete month were synced. */
const lastSynced = new Date('2026-11-01T00:01:00.000Z');

const dataOf = (companyId: string) => asOfNow(companyId, 'test');

const partnerIn = ({ operator }: World) =>
  operator.createInvestor({ name: 'Partner', environment: 'test' });

describe('the sandbox companies', () => {
  test('have a year of metrics up to the last complete month, sources and accounts', async () => {
    const world = createWorld();
    await partnerIn(world);
    const { companyData } = world.ports;
    for (const id of ids) {
      const latest = await companyData.latestMetrics(dataOf(id));
      const period = '2026-10-31';
      expect(latest).toMatchObject(keys.map((key) => ({ key, companyId: id, period })));
      const cash = await companyData.metricHistory(dataOf(id), 'cash_balance');
      const periods = cash.map((metric) => metric.period);
      expect(periods.slice(0, 2)).toEqual(['2025-11-30', '2025-12-31']);
      expect(periods.slice(2, 4)).toEqual(['2026-01-31', '2026-02-28']);
      expect(await companyData.sources(dataOf(id))).toHaveLength(3);
      expect(await companyData.accounts(dataOf(id))).toHaveLength(2);
    }
  });

  test('have verified metrics from their own source systems', async () => {
    const world = createWorld(withoutKey);
    await partnerIn(world);
    const metric = (key: string, label: string, category: string, system: string) => ({
      ...{ companyId: 'co_test_declines', key, label, category, period: '2026-10-31', revision: 1 },
      ...{ asOf: new Date('2026-10-31T23:59:59.000Z'), confidence: 'high' },
      verification: { verified: true, signed: false },
      source: { system, method: 'api', lastSynced },
    });
    const money = (value: string, rawValue: string) => ({ currency: 'USD', value, rawValue });
    expect(await world.ports.companyData.latestMetrics(dataOf('co_test_declines'))).toEqual([
      {
        ...metric('cash_balance', 'Cash balance', 'liquidity', 'Sandbox Bank'),
        ...money('$1,685,000', '1685000'),
      },
      {
        ...metric('headcount', 'Headcount', 'team', 'Sandbox Payroll'),
        ...{ currency: null, value: '27', rawValue: '27' },
      },
      {
        ...metric('mrr', 'Monthly recurring revenue', 'revenue', 'Sandbox Billing'),
        ...money('$156,500', '156500'),
      },
    ]);
  });

  test('spend cash each month, earn more each month and hire each quarter', async () => {
    const world = createWorld();
    await partnerIn(world);
    const year = async (key: string) =>
      (await world.ports.companyData.metricHistory(dataOf('co_test_approves'), key)).map(
        ({ rawValue }) => Number(rawValue),
      );
    const steps = (values: readonly number[]) =>
      values.slice(1).map((value, index) => value - (values[index] ?? 0));
    const eachMonth = (step: number) => Array.from({ length: 11 }, () => step);
    expect(steps(await year('cash_balance'))).toEqual(eachMonth(-65_000));
    expect(steps(await year('mrr'))).toEqual(eachMonth(3_500));
    expect(await year('headcount')).toEqual([24, 24, 24, 25, 25, 25, 26, 26, 26, 27, 27, 27]);
  });

  test('have three connected sources, and two accounts with ids of their own', async () => {
    const world = createWorld();
    await partnerIn(world);
    const companyId = 'co_test_expires';
    const { companyData } = world.ports;
    const source = (provider: string, accountName: string) => ({
      companyId,
      provider,
      accountName,
      status: 'connected',
      lastSyncedAt: lastSynced,
      expectedEvery: null,
      staleAt: null,
    });
    expect(await companyData.sources(dataOf(companyId))).toEqual([
      source('Sandbox Bank', 'Operating account'),
      source('Sandbox Billing', 'Subscriptions'),
      source('Sandbox Payroll', 'Payroll'),
    ]);
    const common = {
      companyId,
      provider: 'Sandbox Bank',
      currency: 'USD',
      lastSyncedAt: lastSynced,
    };
    expect(await companyData.accounts(dataOf(companyId))).toEqual([
      {
        ...common,
        id: 'acc_test_expires_cards',
        name: 'Company cards',
        type: 'credit',
        lastFour: '0005',
        balance: '-$18,200',
        rawBalance: '-18200',
      },
      {
        ...common,
        id: 'acc_test_expires_operating',
        name: 'Operating account',
        type: 'bank',
        lastFour: '4242',
        balance: '$1,685,000',
        rawBalance: '1685000',
      },
    ]);
  });

  test('are created one by one with their data, and a later creation changes no existing company', async () => {
    let pushes = 0;
    const world = createWorld(({ imports }) => ({
      imports: {
        ...imports,
        transact(push, work) {
          pushes += 1;
          if (pushes === 2) throw new Error('the disk is full');
          return imports.transact(push, work);
        },
      },
    }));
    await expect(partnerIn(world)).rejects.toThrow('the disk is full');
    const there = async () => (await world.operator.listCompanies()).map(({ id }) => id);
    expect(await there()).toEqual(ids.slice(0, 1));
    const version = await world.ports.companyData.version('co_test_approves');
    await partnerIn(world);
    expect(await there()).toHaveLength(ids.length);
    expect(pushes).toBe(1 + ids.length);
    expect(await world.ports.companyData.version('co_test_approves')).toBe(version);
  });
});
