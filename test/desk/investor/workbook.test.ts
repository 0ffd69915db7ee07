import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { AccessError } from '#core';
import { writeWorkbook } from '../../../desk/investor/workbook.ts';

const workbook = { sheet: 'Metrics', columns: [{ name: 'key' }], rows: [['arr']] };

it('an investor’s workbook waits for at most one workbook of another investor, even after many requests', async () => {
  const written: string[] = [];
  const write = async (investorId: string) => {
    await writeWorkbook(investorId, async () => workbook);
    written.push(investorId);
  };
  const busy = Array.from({ length: 4 }, () => write('inv_busy'));
  await Promise.all([...busy, write('inv_other')]);
  expect(written.indexOf('inv_other')).toBeLessThan(2);
  expect(written).toHaveLength(5);
});

it('an investor’s workbook is refused if too many others wait, and waiting workbooks read no rows', async () => {
  // Waits until the last workbook of the previous test has ended.
  await setImmediate();
  let reads = 0;
  const reading = Promise.withResolvers<typeof workbook>();
  const write = () =>
    writeWorkbook('inv_many', () => {
      reads += 1;
      return reading.promise;
    });
  const asked = Array.from({ length: 21 }, write);
  await expect(write()).rejects.toSatisfy(
    (error) => error instanceof AccessError && error.code === 'service_unavailable',
  );
  expect(reads).toBe(1);
  reading.reject(new Error('away'));
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
});
