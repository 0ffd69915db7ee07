import { describe, expect, it, vi } from 'vitest';
import { type CompanyCaller, createCompanyUseCases, parseExactJson } from '#core';
import { notifyOfDataEvents } from '../../gateway/notify-of-changes.ts';
import { createWorld, day, expectRefusal, later, start } from '../core/world.ts';
import { aCall } from '../support/call.ts';

describe('readers of the event feed', () => {
  async function aPusher() {
    const notify = vi.fn();
    const world = createWorld(({ imports }) => ({ imports: notifyOfDataEvents(imports, notify) }));
    const { companyId } = await world.newcomer();
    const useCases = createCompanyUseCases(world.ports);
    const { secret } = await world.operator.createCompanyKey({
      companyId,
      scopes: ['data:write'],
    });
    const admission = await useCases.admitCompany(secret, 1, aCall);
    if ('refusal' in admission) throw admission.refusal;
    const caller: CompanyCaller = admission.caller;
    const push = (dryRun: boolean, ...records: object[]) =>
      useCases.pushRecords(caller, {
        records: parseExactJson(JSON.stringify(records)) as unknown[],
        dryRun,
      });
    return { world, notify, push };
  }

  const source = {
    type: 'source',
    provider: 'ledger',
    status: 'connected',
    account_name: 'Main',
    last_synced_at: start.toISOString(),
    expected_every: 'P1D',
  };

  it('are notified after a push that changed data, but not after a dry, refused or repeated push', async () => {
    const { notify, push } = await aPusher();
    await push(true, source);
    await expectRefusal(push(false, source, { type: 'metric' }), 'invalid_records');
    expect(notify).not.toHaveBeenCalled();
    await push(false, source);
    expect(notify).toHaveBeenCalledTimes(1);
    await push(false, source);
    expect(notify).toHaveBeenCalledTimes(1);
  });

  it('are notified after the check for stale sources if it found one', async () => {
    const { world, notify, push } = await aPusher();
    await push(false, source);
    await world.background.reportStaleSources();
    expect(notify).toHaveBeenCalledTimes(1);
    world.clock.set(later(day));
    await world.background.reportStaleSources();
    expect(notify).toHaveBeenCalledTimes(2);
  });
});
