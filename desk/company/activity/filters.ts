import { isGrantableScope } from '#core';
import type { ContactContext } from '../../context.ts';
import { filtersOf } from '../../reads.ts';

export type Filters = ReturnType<typeof readFilters>;

export function readFilters(context: Pick<ContactContext, 'query'>) {
  const { investor, scope } = context.query;
  return filtersOf(context, ['investor', 'scope', 'since', 'until'], (days) => ({
    investorId: investor || undefined,
    scope: scope !== undefined && isGrantableScope(scope) ? scope : undefined,
    ...days,
  }));
}
