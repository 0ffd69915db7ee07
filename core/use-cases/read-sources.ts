import type { Caller } from '../caller.ts';
import { passGate } from '../gate.ts';
import type { Ports } from '../ports/index.ts';
import type { Source } from '../source.ts';

/** The data sources that a company has connected. */
export const readSources =
  (ports: Ports) =>
  async (caller: Caller, companyId: string): Promise<Source[]> => {
    await passGate(ports, caller, companyId, 'sources:read');
    return ports.companyData.sources(companyId);
  };
