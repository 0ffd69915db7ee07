import type { Account } from './account.ts';
import type { Company } from './company.ts';
import type { Metric } from './metric.ts';
import type { Source } from './source.ts';

/** One thing that an import says about a company. */
export type ImportRecord =
  | { readonly type: 'company'; readonly company: Omit<Company, 'createdAt'> }
  | { readonly type: 'metric'; readonly metric: Metric }
  | { readonly type: 'source'; readonly source: Source }
  | { readonly type: 'account'; readonly account: Account };
