import { isDeepStrictEqual } from 'node:util';
import type { Chronicle, Firm, Key } from './chronicle.ts';
import {
  type histories,
  oneCompany,
  reading,
  type revisions,
  type Thing,
  type Verdict,
} from './model.ts';

/**
 * GraphQL looks for the company itself first, under its own scope; and the history is a field of the metric, without
 * which there is none.
 */
export function readingInGraphql(
  all: Chronicle,
  key: Key,
  firm: Firm | null,
  thing: Thing | typeof revisions | typeof histories,
): Verdict {
  const entry = oneCompany(all, key, firm);
  if ('refused' in entry && entry.refused === 'company_not_found') return entry;
  const verdict = reading(all, key, firm, thing);
  const isEmpty = 'told' in verdict && isDeepStrictEqual(verdict.told, []);
  return isEmpty && thing === 'the history of a metric'
    ? { refused: 'metric_not_found', because: 'there is no such metric' }
    : verdict;
}
