import { z } from 'zod';
import { InputError, maxMetricKeys, metricHistoryInput } from '#core';

export const latestQuery = z.object({
  keys: z
    .string()
    .optional()
    .meta({
      description: `Only these metrics, separated by commas, at most ${maxMetricKeys}.`,
      'x-addition': true,
      example: 'arr,cash_balance',
    }),
});

/** @throws InputError if the parameter is repeated */
export function splitList(name: string, text: string | undefined): string[] | undefined {
  if (text !== undefined && typeof text !== 'string') {
    throw new InputError('invalid_parameter', name);
  }
  return text?.split(',');
}

const { from, to } = metricHistoryInput.shape;

export const historyQuery = z.object({
  from: from.meta({
    description: 'The first period, included.',
    'x-addition': true,
    example: '2026-01-01',
  }),
  to: to.meta({
    description: 'The last period, included.',
    'x-addition': true,
    example: '2026-12-31',
  }),
});

export const csvDescription =
  'A header, then one line per value. The columns have the JSON names (`source.system` for nested fields). The columns `revision`, `signed_at` and `key_id` are added. `raw_value` has every digit. A cell that a spreadsheet would read as a formula starts with an additional apostrophe: remove the apostrophe. This service adds the CSV form to the contract.';
