import type { Account } from '../account.ts';
import type { Caller } from '../caller.ts';
import { readThroughGate } from '../gate.ts';
import type { Ports } from '../ports/index.ts';

/** The financial accounts of a company. */
export const readAccounts =
  (ports: Ports) =>
  (caller: Caller, companyId: string): Promise<readonly Account[]> =>
    readThroughGate(ports, caller, { companyId, resource: 'accounts' }, (dataVersion) =>
      ports.companyData.accounts({ companyId, dataVersion }),
    );
