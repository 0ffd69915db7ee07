import type { Route } from '../route.ts';
import { askRoutes } from './company/ask.ts';
import { companyEventRoutes } from './company/events.ts';
import { historyFileRoutes } from './company/history-file.ts';
import { companyMetricRoutes } from './company/metric.ts';
import { companyRoutes } from './company/page.ts';
import { compareRoutes } from './compare/page.ts';
import { portfolioRoutes } from './portfolio/page.ts';

/** The pages of the contacts of investors. */
export const investorRoutes: readonly Route[] = [
  ...portfolioRoutes,
  ...companyRoutes,
  ...companyMetricRoutes,
  ...historyFileRoutes,
  ...companyEventRoutes,
  ...askRoutes,
  ...compareRoutes,
];
