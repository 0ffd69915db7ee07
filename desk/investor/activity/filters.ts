import { protocols, type SearchOwnRecordsInput, soughtOutcomes } from '#core';
import type { InvestorContext } from '../../context.ts';
import { type Days, readDays } from '../../days.ts';

export const filterNames = [
  'company',
  'who',
  'protocol',
  'outcome',
  'request',
  'since',
  'until',
] as const;

/** Which reads are asked for. */
export interface Filters extends Pick<Days, 'invalid'> {
  readonly sought: Omit<SearchOwnRecordsInput, 'limit' | 'cursor'>;
}

export function readFilters(context: Pick<InvestorContext, 'query'>): Filters {
  const { company, who, protocol, outcome, request } = context.query;
  const { invalid, since, until } = readDays(context);
  return {
    invalid,
    sought: {
      companyId: company || undefined,
      // An id says whether it is that of a person or of a key.
      ...(who && (who.startsWith('ct_') ? { contactId: who } : { keyId: who })),
      protocol: protocols.find((each) => each === protocol),
      outcome: soughtOutcomes.find((each) => each === outcome),
      requestId: request?.trim() || undefined,
      since: since?.toISOString(),
      until: until?.toISOString(),
    },
  };
}
