import type { Account } from '../account.ts';
import type { Caller } from '../caller.ts';
import { passGate } from '../gate.ts';
import type { Ports } from '../ports/index.ts';

/** The financial accounts of a company. */
export const readAccounts =
  (ports: Ports) =>
  async (caller: Caller, companyId: string): Promise<Account[]> => {
    await passGate(ports, caller, companyId, 'accounts:read');
    return ports.companyData.accounts(companyId);
  };
