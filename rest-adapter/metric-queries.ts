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

/** @throws InputError if the parameter is repeated */
export const splitKeys = (keys: string | undefined): string[] | undefined =>
  splitList('keys', keys);

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
