import { readThroughGate } from '../consent/gate.ts';
import type { Caller } from '../identity/caller.ts';
import { type CompanyInput, companyInput, parseInput } from '../input.ts';
import type { Ports } from '../ports.ts';
import type { Account } from './account.ts';

/** The financial accounts of a company. */
export const readAccounts =
  (ports: Ports) =>
  async (caller: Caller, input: CompanyInput): Promise<readonly Account[]> => {
    const { companyId } = parseInput(companyInput, input);
    return readThroughGate(ports, caller, { companyId, resource: 'accounts' }, (dataVersion) =>
      ports.companyData.accounts({ companyId, dataVersion }),
    );
  };
