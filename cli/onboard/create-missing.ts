import type { MintedApiKey, MintedCompanyKey, OperatorUseCases } from '#core';
import type { Onboarding } from './document.ts';
import type { State } from './state.ts';

export interface Step {
  readonly thing: 'investor' | 'company' | 'portfolio' | 'contact' | 'key' | 'company_key';
  /** Null for a portfolio entry, and for a thing that isn't created yet. */
  readonly id: string | null;
  readonly name: string;
  readonly outcome: 'created' | 'existing' | 'would_create';
  /** The secret of a created key, which can't be read later. */
  readonly secret?: string;
}

interface Work {
  readonly wanted: Onboarding;
  readonly state: State;
  /** Throws if the stored data contradicts the onboarding file. */
  readonly readState: () => Promise<State>;
  readonly operator: OperatorUseCases;
  readonly isDryRun: boolean;
}

/**
 * Yields each created thing as soon as it exists. Keys come last, so a killed run loses at most one secret. There is no
 * lock and names aren't unique, so two simultaneous runs can create the same thing. So the run reads the state again
 * before each creation and at the end. It stops if the state contradicts the file.
 */
export async function* createMissing({
  wanted,
  state: initialState,
  readState,
  operator,
  isDryRun,
}: Work): AsyncGenerator<Step> {
  const { environment } = wanted;
  let state = initialState;
  let hasMade = false;
  const nameOf = (who: 'company' | 'investor') => state[who]?.name ?? wanted[who]?.name ?? '';

  async function step(
    thing: Step['thing'],
    name: string,
    find: () => Pick<Step, 'id'> | null,
    make: () => Promise<Pick<Step, 'id' | 'secret'>>,
  ): Promise<Step> {
    if (find() === null && !isDryRun) state = await readState();
    const existing = find();
    if (existing !== null) return { thing, id: existing.id, name, outcome: 'existing' };
    if (isDryRun) return { thing, id: null, name, outcome: 'would_create' };
    const { id, secret } = await make();
    hasMade = true;
    return { thing, id, name, outcome: 'created', ...(secret !== undefined && { secret }) };
  }

  const ofInvestor = wanted.investor;
  let investorId = '';
  if (ofInvestor !== undefined) {
    const name = nameOf('investor');
    const make = () => operator.createInvestor({ name, environment });
    const done = await step('investor', name, () => state.investor, make);
    investorId = done.id ?? '';
    yield done;
  }

  const ofCompany = wanted.company;
  let companyId = '';
  if (ofCompany !== undefined) {
    const name = nameOf('company');
    const make = () => operator.createCompany({ name, environment, id: ofCompany.id });
    const done = await step('company', name, () => state.company, make);
    companyId = done.id ?? '';
    yield done;
  }

  if (ofInvestor !== undefined && ofCompany !== undefined) {
    const member = { id: null };
    const name = `${nameOf('company')} in the portfolio of ${nameOf('investor')}`;
    const make = async () => {
      await operator.addToPortfolio({ investorId, companyId });
      return member;
    };
    yield step('portfolio', name, () => (state.isMember ? member : null), make);
  }

  for (const { email, role } of ofInvestor?.contacts ?? []) {
    const make = () => operator.addContact({ investorId, email, role });
    yield step('contact', email, () => state.investorContacts.get(email) ?? null, make);
  }

  for (const { email, role } of ofCompany?.contacts ?? []) {
    const make = () => operator.addContact({ companyId, email, role });
    yield step('contact', email, () => state.contacts.get(email) ?? null, make);
  }

  for (const keyFields of ofInvestor?.keys ?? []) {
    const { name, scopes, expires_at: expiresAt, rate_limit: rateLimit } = keyFields;
    const key = { investorId, name, scopes, expiresAt, rateLimit };
    const make = async () => idAndSecret(await operator.createApiKey(key));
    yield step('key', name, () => state.apiKeys.get(name) ?? null, make);
  }

  for (const { name, expires_at: expiresAt, scopes, source } of ofCompany?.keys ?? []) {
    const key = { companyId, name, expiresAt, scopes, source };
    const make = async () => idAndSecret(await operator.createCompanyKey(key));
    yield step('company_key', name, () => state.companyKeys.get(name) ?? null, make);
  }

  if (hasMade) await readState();
}

const idAndSecret = ({ key: { id }, secret }: MintedApiKey | MintedCompanyKey) => ({ id, secret });
