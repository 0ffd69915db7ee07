import { readThroughGate } from '../consent/gate.ts';
import type { Caller } from '../identity/caller.ts';
import type { Ports } from '../ports.ts';
import type { Account } from './account.ts';

/** The financial accounts of a company. */
export const readAccounts =
  (ports: Ports) =>
  (caller: Caller, companyId: string): Promise<readonly Account[]> =>
    readThroughGate(ports, caller, { companyId, resource: 'accounts' }, (dataVersion) =>
      ports.companyData.accounts({ companyId, dataVersion }),
    );
