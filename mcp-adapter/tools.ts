import { accessRecordTools } from './access-records.ts';
import { accessRequestTools, waitForDecision } from './access-requests.ts';
import { companyTools } from './companies.ts';
import { companyDataTools } from './company-data.ts';
import type { Tool } from './tool.ts';

export const tools: readonly Tool[] = [
  ...companyTools,
  ...companyDataTools,
  ...accessRequestTools,
  ...accessRecordTools,
  waitForDecision,
];

const byName: ReadonlyMap<unknown, Tool> = new Map(tools.map((tool) => [tool.name, tool]));

export const toolNamed = (name: unknown): Tool | undefined => byName.get(name);
