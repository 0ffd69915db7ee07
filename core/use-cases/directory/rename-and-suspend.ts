import { z } from 'zod';
import { type Company, isSandboxCompany } from '../../model/company-data/company.ts';
import { requireNotErased } from '../../model/erasure/erased.ts';
import { ensure } from '../../model/errors.ts';
import type { Investor } from '../../model/identity/investor.ts';
import type { Owner } from '../../model/identity/owner.ts';
import {
  changeOfParty,
  type SettingsChange,
  settingsChange,
} from '../../model/identity/settings-change.ts';
import { parseInput, trimmedNameInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { findCompany, findInvestor } from '../identity/organisations.ts';

const idInput = z.strictObject({ id: z.string() });
const renameInput = idInput.extend({ name: trimmedNameInput });

type IdInput = z.input<typeof idInput>;
type RenameInput = z.input<typeof renameInput>;

interface Kind<Party> {
  find(ports: Ports, id: string): Promise<Party>;
  ownerOf(party: Party): Owner;
}

const company: Kind<Company> = {
  async find(ports, id) {
    ensure(!isSandboxCompany(id), 'invalid_parameter', 'sandbox companies can’t be changed');
    return findCompany(ports, id);
  },
  ownerOf: ({ id }) => ({ companyId: id }),
};

const investor: Kind<Investor> = {
  find: findInvestor,
  ownerOf: ({ id }) => ({ investorId: id }),
};

const changeBy = (
  { ids, clock }: Ports,
  ...changed: Parameters<typeof changeOfParty>
): SettingsChange => settingsChange(ids, clock.now(), null, changeOfParty(...changed));

/** Renames a company or an investor. Later records use the new name. Existing receipts keep the old name. */
const rename =
  <Party extends Company | Investor>({ find, ownerOf }: Kind<Party>) =>
  (ports: Ports) =>
  async (input: RenameInput): Promise<Party> => {
    const { id, name } = parseInput(renameInput, input);
    const party = await find(ports, id);
    requireNotErased(party);
    const renamed = { ...party, name };
    if (name === party.name) return renamed;
    const owner = ownerOf(party);
    const change = changeBy(ports, 'renamed', owner, party, renamed);
    await ports.directory.rename(owner, name, change);
    return renamed;
  };

/**
 * Suspends or resumes a company or an investor. The change applies to the next call. While a company or an investor is
 * suspended, it can't read, and no caller can read its data. Its keys and contacts stop working, and it gets no mails
 * or webhooks. Access requests, grants and data stay unchanged.
 */
const suspendOrResume =
  <Party extends Company | Investor>(
    { find, ownerOf }: Kind<Party>,
    act: 'suspended' | 'resumed',
  ) =>
  (ports: Ports) =>
  async (input: IdInput): Promise<Party> => {
    const party = await find(ports, parseInput(idInput, input).id);
    requireNotErased(party);
    if ((party.suspendedAt === null) === (act === 'resumed')) return party;
    const suspendedAt = act === 'resumed' ? null : ports.clock.now();
    const after = { ...party, suspendedAt };
    const owner = ownerOf(party);
    await ports.directory.suspend(owner, suspendedAt, changeBy(ports, act, owner, party, after));
    return after;
  };

/** @throws AccessError `company_not_found`. The next two functions throw the same error. */
export const renameCompany = rename(company);
export const suspendCompany = suspendOrResume(company, 'suspended');
export const resumeCompany = suspendOrResume(company, 'resumed');

/** @throws Refusal `investor_not_found`. The next two functions throw the same error. */
export const renameInvestor = rename(investor);
export const suspendInvestor = suspendOrResume(investor, 'suspended');
export const resumeInvestor = suspendOrResume(investor, 'resumed');
