import { accessRequestTools } from './access-requests.ts';
import { accountTools } from './accounts.ts';
import { companyTools } from './companies.ts';
import { metricTools } from './metrics.ts';
import { sourceTools } from './sources.ts';
import type { Tool } from './tool.ts';

export const tools: readonly Tool[] = [
  ...companyTools,
  ...metricTools,
  ...sourceTools,
  ...accountTools,
  ...accessRequestTools,
];
