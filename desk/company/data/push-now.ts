import { type DataPush, type PushRecordsInput, Refusal } from '#core';
import { queuePush } from '#http';
import type { ContactContext } from '../../context.ts';

const attempts = 3;

/** Tries again if a program changes other data at the same time. */
export async function pushNow(
  { caller, useCases }: ContactContext,
  input: Pick<PushRecordsInput, 'records' | 'ticked' | 'reason'>,
): Promise<DataPush> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await queuePush(caller.companyId, () =>
        useCases.company.pushRecords(caller, { ...input, method: 'manual' }),
      );
    } catch (error) {
      const isRaced = error instanceof Refusal && error.code === 'data_changed';
      if (!isRaced || attempt === attempts) throw error;
    }
  }
}
