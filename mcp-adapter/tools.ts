import { accessRecordTools } from './access-records.ts';
import { accessRequestTools } from './access-requests.ts';
import { accountTools } from './accounts.ts';
import { companyTools } from './companies.ts';
import { metricTools } from './metrics.ts';
import { sourceTools } from './sources.ts';
import type { Tool } from './tool.ts';
import { waitTools } from './wait-for-decision.ts';

export const tools: readonly Tool[] = [
  ...companyTools,
  ...metricTools,
  ...sourceTools,
  ...accountTools,
  ...accessRequestTools,
  ...accessRecordTools,
  ...waitTools,
];

const byName: ReadonlyMap<unknown, Tool> = new Map(tools.map((tool) => [tool.name, tool]));

export const toolNamed = (name: unknown): Tool | undefined => byName.get(name);
