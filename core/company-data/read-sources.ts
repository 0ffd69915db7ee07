import { readThroughGate } from '../consent/gate.ts';
import type { Caller } from '../identity/caller.ts';
import { type CompanyInput, companyInput, parseInput } from '../input.ts';
import type { Ports } from '../ports.ts';
import type { Source } from './source.ts';

/** The data sources that a company has connected. */
export const readSources =
  (ports: Ports) =>
  async (caller: Caller, input: CompanyInput): Promise<readonly Source[]> => {
    const { companyId } = parseInput(companyInput, input);
    return readThroughGate(ports, caller, { companyId, resource: 'sources' }, (dataVersion) =>
      ports.companyData.sources({ companyId, dataVersion }),
    );
  };
