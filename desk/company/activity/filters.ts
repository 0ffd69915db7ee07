import { type GrantableScope, isGrantableScope } from '#core';
import type { DeskContext } from '../../context.ts';
import { type Days, readDays, withQuery } from '../../days.ts';

/** Which reads are asked for. */
export interface Filters extends Days {
  readonly investorId: string | undefined;
  readonly scope: GrantableScope | undefined;
}

export const filterNames = ['investor', 'scope', 'since', 'until'] as const;

export function readFilters(context: Pick<DeskContext, 'query'>): Filters {
  const { investor, scope } = context.query;
  return {
    investorId: investor || undefined,
    scope: scope !== undefined && isGrantableScope(scope) ? scope : undefined,
    ...readDays(context),
  };
}

/** The address of a page of the same reads. */
export const withFilters = (
  path: string,
  context: Pick<DeskContext, 'query'>,
  more: Readonly<Record<string, string>> = {},
): string => withQuery(path, filterNames, context, more);
