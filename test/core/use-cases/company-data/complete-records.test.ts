import { expect, it } from 'vitest';
import { createWorld } from '../../world.ts';
import { parsed, value } from './push-steps.ts';

it('only values are prepared for the check of unusual values, but not voids or sources', async () => {
  const { operator, company } = createWorld();
  const { id: companyId } = await company();
  const records = parsed([value(), { type: 'void', key: 'arr', period: '2026-10-31' }]);
  const completed = await operator.completeRecords({ companyId, records });
  expect(completed.map(({ record }) => record)).toEqual([0]);
});
