import type { Route } from '../route.ts';
import { ownRecordsRoutes } from './activity/page.ts';
import { askRoutes } from './company/ask.ts';
import { historyFileRoutes } from './company/history-file.ts';
import { companyMetricRoutes } from './company/metric.ts';
import { companyRoutes } from './company/page.ts';
import { compareFileRoutes } from './compare/file.ts';
import { compareRoutes } from './compare/page.ts';
import { askSeveralRoutes } from './portfolio/ask.ts';
import { portfolioFileRoutes } from './portfolio/file.ts';
import { portfolioRoutes } from './portfolio/page.ts';
import { requestActRoutes } from './requests/act.ts';
import { ownRequestRoutes } from './requests/request.ts';
import { mailRoutes } from './settings/mails.ts';
import { usageRoutes } from './settings/usage.ts';

export const investorRoutes: readonly Route[] = [
  ...portfolioRoutes,
  ...portfolioFileRoutes,
  ...askSeveralRoutes,
  ...companyRoutes,
  ...companyMetricRoutes,
  ...historyFileRoutes,
  ...askRoutes,
  ...compareRoutes,
  ...compareFileRoutes,
  ...ownRequestRoutes,
  ...requestActRoutes,
  ...ownRecordsRoutes,
  ...usageRoutes,
  ...mailRoutes,
];
