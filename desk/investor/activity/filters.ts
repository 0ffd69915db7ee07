import { outcomeFilters, protocols } from '#core';
import type { InvestorContext } from '../../context.ts';
import { filtersOf } from '../../reads.ts';

const names = ['company', 'who', 'protocol', 'outcome', 'request', 'since', 'until'];

export type Filters = ReturnType<typeof readFilters>;

export function readFilters(context: Pick<InvestorContext, 'query'>) {
  const { company, who, protocol, outcome, request } = context.query;
  return filtersOf(context, names, ({ since, until }) => ({
    companyId: company || undefined,
    // The prefix of the id distinguishes people from keys.
    ...(who && (who.startsWith('ct_') ? { contactId: who } : { keyId: who })),
    protocol: protocols.find((each) => each === protocol),
    outcome: outcomeFilters.find((each) => each === outcome),
    requestId: request?.trim() || undefined,
    since: since?.toISOString(),
    until: until?.toISOString(),
  }));
}
