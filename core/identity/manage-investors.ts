import { OperatorError } from '../errors.ts';
import type { Ports } from '../ports.ts';
import { requireName } from '../text.ts';
import type { Caller } from './caller.ts';
import type { Environment, Investor } from './investor.ts';

/** @throws OperatorError `invalid` */
export const createInvestor =
  ({ clock, directory, ids }: Ports) =>
  async (input: { name: string; environment: Environment }): Promise<Investor> => {
    const investor: Investor = {
      id: ids.next('inv'),
      name: requireName(input.name),
      environment: input.environment,
      createdAt: clock.now(),
    };
    await directory.addInvestor(investor);
    return investor;
  };

/** Every investor of both environments, oldest first. */
export const listInvestors =
  ({ directory }: Ports) =>
  (): Promise<Investor[]> =>
    directory.listInvestors();

/** @throws OperatorError `not_found` */
export async function findInvestor({ directory }: Ports, id: string): Promise<Investor> {
  const investor = await directory.findInvestor(id);
  if (investor === null) throw new OperatorError('not_found', `there is no investor ${id}`);
  return investor;
}

/** The organisation behind the caller's key. */
export const readInvestor =
  ({ directory }: Ports) =>
  async ({ investorId }: Caller): Promise<Investor> => {
    const investor = await directory.findInvestor(investorId);
    if (investor === null) throw new Error(`the investor ${investorId} is gone`);
    return investor;
  };
