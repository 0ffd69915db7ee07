import { describe, expect, test } from 'vitest';
import type { InvestorCaller } from '#core';
import { recordsIn } from '../../../support/records-in.ts';
import { aNewcomer, expectRefusal, later, type World } from '../../world.ts';

const recordsOf = async ({ callers }: World, caller: InvestorCaller) =>
  recordsIn(await callers.listAccessRecords(caller));

describe('equal refusals within one API request', () => {
  test('share one access record, which contains the number of refusals', async () => {
    const { world, caller, companyId } = await aNewcomer();
    const read = () => world.callers.readSources(caller, { companyId });
    await expectRefusal(read, 'access_required');
    const [first] = await recordsOf(world, caller);
    expect(first).toMatchObject({ outcome: 'access_required', count: 1 });
    for (const milliseconds of [1, 2, 3]) {
      world.clock.set(later(milliseconds));
      await expectRefusal(read, 'access_required');
    }
    expect(await recordsOf(world, caller)).toEqual([{ ...first, count: 4 }]);
  });

  test('get separate access records if the API request, the query or the reason differs', async () => {
    const { world, caller, key, companyId } = await aNewcomer();
    const { callers } = world;
    const sources = (requestId: string) =>
      callers.readSources({ ...caller, requestId }, { companyId });
    const history = (name: string) =>
      callers.readMetricHistory({ ...caller, requestId: 'req_1' }, { companyId, key: name });
    await expectRefusal(sources('req_1'), 'access_required');
    await expectRefusal(sources('req_2'), 'access_required');
    await expectRefusal(history('mrr'), 'access_required');
    await expectRefusal(history('arr'), 'access_required');
    await world.request(key, companyId);
    await expectRefusal(sources('req_1'), 'access_pending');
    const records = await recordsOf(world, caller);
    expect(records.map(({ count }) => count)).toEqual([1, 1, 1, 1, 1]);
  });
});
