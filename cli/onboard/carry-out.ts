import type { MintedApiKey, MintedCompanyKey, OperatorUseCases } from '#core';
import type { Onboarding } from './document.ts';
import type { State } from './state.ts';

/** One thing that shall be there. */
export interface Step {
  readonly thing: 'investor' | 'company' | 'portfolio' | 'contact' | 'key' | 'company_key';
  /** Null while it is not made, and of what has none. */
  readonly id: string | null;
  readonly name: string;
  readonly outcome: 'made' | 'was_there' | 'would_be_made';
  /** Of a key that was made, this once. */
  readonly secret?: string;
}

interface Work {
  readonly wanted: Onboarding;
  readonly state: State;
  readonly operator: OperatorUseCases;
  readonly isDryRun: boolean;
}

/**
 * Makes what is missing, and tells each thing as soon as it is there. Keys come last: a run that is killed then has lost
 * no more than the secret of one.
 */
export async function* carryOut({ wanted, state, operator, isDryRun }: Work): AsyncGenerator<Step> {
  const { environment } = wanted;
  const nameOf = (who: 'company' | 'investor') => state[who]?.name ?? wanted[who]?.name ?? '';

  /** Makes a thing unless it is there. */
  async function step(
    thing: Step['thing'],
    name: string,
    existing: Pick<Step, 'id'> | null,
    make: () => Promise<Pick<Step, 'id' | 'secret'>>,
  ): Promise<Step> {
    if (existing !== null) return { thing, id: existing.id, name, outcome: 'was_there' };
    if (isDryRun) return { thing, id: null, name, outcome: 'would_be_made' };
    const { id, secret } = await make();
    return { thing, id, name, outcome: 'made', ...(secret !== undefined && { secret }) };
  }

  const ofInvestor = wanted.investor;
  let investorId = '';
  if (ofInvestor !== undefined) {
    const name = nameOf('investor');
    const make = () => operator.createInvestor({ name, environment });
    const told = await step('investor', name, state.investor, make);
    investorId = told.id ?? '';
    yield told;
  }

  const ofCompany = wanted.company;
  let companyId = '';
  if (ofCompany !== undefined) {
    const name = nameOf('company');
    const make = () => operator.createCompany({ name, environment, id: ofCompany.id });
    const told = await step('company', name, state.company, make);
    companyId = told.id ?? '';
    yield told;
  }

  if (ofInvestor !== undefined && ofCompany !== undefined) {
    const member = { id: null };
    const name = `${nameOf('company')} in that of ${nameOf('investor')}`;
    yield step('portfolio', name, state.isMember ? member : null, async () => {
      await operator.addToPortfolio({ investorId, companyId });
      return member;
    });
  }

  for (const email of ofCompany?.contacts ?? []) {
    const make = () => operator.addContact({ companyId, email });
    yield step('contact', email, state.contacts.get(email) ?? null, make);
  }

  for (const given of ofInvestor?.keys ?? []) {
    const { name, scopes, expires_at: expiresAt, rate_limit: rateLimit } = given;
    const key = { investorId, name, scopes, expiresAt, rateLimit };
    const make = async () => idAndSecret(await operator.createApiKey(key));
    yield step('key', name, state.apiKeys.get(name) ?? null, make);
  }

  for (const { name, expires_at: expiresAt, scopes, source } of ofCompany?.keys ?? []) {
    const key = { companyId, name, expiresAt, scopes, source };
    const make = async () => idAndSecret(await operator.createCompanyKey(key));
    yield step('company_key', name, state.companyKeys.get(name) ?? null, make);
  }
}

const idAndSecret = ({ key: { id }, secret }: MintedApiKey | MintedCompanyKey) => ({ id, secret });
