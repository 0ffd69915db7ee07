import { z } from 'zod';
import { environments, type Investor } from '../../model/identity/investor.ts';
import {
  changeOfParty,
  changeOfPortfolio,
  settingsChange,
} from '../../model/identity/settings-change.ts';
import { parseInput, trimmedNameInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { findCompany } from '../identity/organisations.ts';
import { makeSandbox } from '../sandbox/make-sandbox.ts';

const newInvestorInput = z.strictObject({
  name: trimmedNameInput,
  environment: z.enum(environments),
  /** True to put the sandbox companies into the portfolio of a test investor. */
  sandbox: z.boolean().default(true),
});

/** @throws Refusal `company_id_taken` if the live environment uses the ID of a sandbox company */
export const createInvestor =
  (ports: Ports) =>
  async (input: z.input<typeof newInvestorInput>): Promise<Investor> => {
    const { sandbox, ...fields } = parseInput(newInvestorInput, input);
    const investor: Investor = {
      id: ports.ids.next('inv'),
      ...fields,
      createdAt: ports.clock.now(),
      suspendedAt: null,
    };
    const companyIds = fields.environment === 'test' && sandbox ? await makeSandbox(ports) : [];
    const { createdAt } = investor;
    const companies = await Promise.all(companyIds.map((id) => findCompany(ports, id)));
    const changes = [
      changeOfParty('created', { investorId: investor.id }, null, investor),
      ...companies.map((company) => changeOfPortfolio('company_added', investor, company)),
    ].map((changed) => settingsChange(ports.ids, createdAt, null, changed));
    await ports.directory.addInvestor(investor, companyIds, changes);
    return investor;
  };

export const listInvestors =
  ({ directory }: Ports) =>
  (): Promise<Investor[]> =>
    directory.listInvestors();
