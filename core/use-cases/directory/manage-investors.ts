import type { Environment, Investor } from '../../model/identity/investor.ts';
import { requireName } from '../../model/text.ts';
import type { Ports } from '../../ports/index.ts';
import { makeSandbox } from '../sandbox/make-sandbox.ts';

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
