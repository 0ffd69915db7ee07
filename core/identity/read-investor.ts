import type { Ports } from '../ports.ts';
import type { Caller } from './caller.ts';
import type { Investor } from './investor.ts';

/** The organisation behind the caller's key. */
export const readInvestor =
  ({ directory }: Ports) =>
  async ({ investorId }: Caller): Promise<Investor> => {
    const investor = await directory.findInvestor(investorId);
    if (investor === null) throw new Error(`the investor ${investorId} is gone`);
    return investor;
  };
