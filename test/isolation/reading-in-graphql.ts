import { isDeepStrictEqual } from 'node:util';
import {
  type histories,
  oneCompany,
  reading,
  type revisions,
  type Thing,
  type Verdict,
} from './model.ts';
import type { Company, Key, State } from './state.ts';

/**
 * GraphQL looks up the company first, which needs companies:read. A history is a field of its
 * metric, so it is missing if the metric is.
 */
export function readingInGraphql(
  all: State,
  key: Key,
  company: Company | null,
  thing: Thing | typeof revisions | typeof histories,
): Verdict {
  const entry = oneCompany(all, key, company);
  if ('refused' in entry && entry.refused === 'company_not_found') return entry;
  const verdict = reading(all, key, company, thing);
  const isEmpty = 'expected' in verdict && isDeepStrictEqual(verdict.expected, []);
  return isEmpty && thing === 'the history of a metric'
    ? { refused: 'metric_not_found', because: 'the metric doesn’t exist' }
    : verdict;
}
