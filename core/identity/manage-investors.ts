import { OperatorError } from '../errors.ts';
import type { Ports } from '../ports.ts';
import { makeSandbox } from '../sandbox/make-sandbox.ts';
import { requireName } from '../text.ts';
import type { Caller } from './caller.ts';
import type { Environment, Investor } from './investor.ts';

interface NewInvestor {
  readonly name: string;
  readonly environment: Environment;
  /** Whether an investor of the test environment has the companies of the sandbox in its portfolio. */
  readonly sandbox?: boolean | undefined;
}

/** @throws OperatorError `invalid`, or `conflict` when the sandbox cannot be made */
export const createInvestor =
  (ports: Ports) =>
  async ({ name, environment, sandbox = true }: NewInvestor): Promise<Investor> => {
    const investor: Investor = {
      id: ports.ids.next('inv'),
      name: requireName(name),
      environment,
      createdAt: ports.clock.now(),
    };
    const companyIds = environment === 'test' && sandbox ? await makeSandbox(ports) : [];
    await ports.directory.addInvestor(investor, companyIds);
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
