import { z } from 'zod';
import { isMetricKey } from '../../model/company-data/metric.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import type { MetricEntry } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';

const entriesInput = z.strictObject({ key: z.string() });

/** Returns the person who entered each revision, for the company only. Leaves out revisions that a program pushed. */
export const listMetricEntries =
  ({ companyData }: Ports) =>
  async (
    caller: CompanyCaller,
    input: z.input<typeof entriesInput>,
  ): Promise<readonly MetricEntry[]> => {
    const { key } = parseInput(entriesInput, input);
    return isMetricKey(key) ? companyData.metricEntries(caller.companyId, key) : [];
  };
