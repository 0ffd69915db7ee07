import type { OperatorUseCases } from '#core';
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

  /** Makes a thing unless it is there. */
  async function step<Made extends { readonly id: string | null; readonly secret?: string }>(
    thing: Step['thing'],
    name: string,
    existing: Made | null,
    make: () => Promise<Made>,
  ): Promise<[Step, Made | null]> {
    const outcome =
      existing !== null ? 'was_there' : isDryRun ? 'would_be_made' : ('made' as const);
    const made = outcome === 'made' ? await make() : existing;
    const secret = outcome === 'made' && made?.secret !== undefined ? { secret: made.secret } : {};
    return [{ thing, id: made?.id ?? null, name, outcome, ...secret }, made];
  }

  let investorId = '';
  if (wanted.investor !== undefined) {
    const name = state.investor?.name ?? wanted.investor.name ?? '';
    const make = () => operator.createInvestor({ name, environment });
    const [told, investor] = await step('investor', name, state.investor, make);
    investorId = investor?.id ?? '';
    yield told;
  }

  let companyId = '';
  if (wanted.company !== undefined) {
    const name = state.company?.name ?? wanted.company.name ?? '';
    const { id } = wanted.company;
    const make = () => operator.createCompany({ name, environment, ...(id !== undefined && { id }) });
    const [told, company] = await step('company', name, state.company, make);
    companyId = company?.id ?? '';
    yield told;
  }

  if (wanted.investor !== undefined && wanted.company !== undefined) {
    const member = { id: null };
    const [told] = await step(
      'portfolio',
      `${nameOf(wanted, state, 'company')} in that of ${nameOf(wanted, state, 'investor')}`,
      state.isMember ? member : null,
      async () => {
        await operator.addToPortfolio({ investorId, companyId });
        return member;
      },
    );
    yield told;
  }

  for (const email of wanted.company?.contacts ?? []) {
    const make = () => operator.addContact({ companyId, email });
    yield (await step('contact', email, state.contacts.get(email) ?? null, make))[0];
  }

  for (const { name, scopes, expires_at: expiresAt, rate_limit: rateLimit } of wanted.investor
    ?.keys ?? []) {
    const make = async () => {
      const minted = await operator.createApiKey({ investorId, name, scopes, expiresAt, rateLimit });
      return { id: minted.key.id, secret: minted.secret };
    };
    yield (await step('key', name, state.apiKeys.get(name) ?? null, make))[0];
  }

  for (const { name, expires_at: expiresAt } of wanted.company?.keys ?? []) {
    const make = async () => {
      const minted = await operator.createCompanyKey({ companyId, name, expiresAt });
      return { id: minted.key.id, secret: minted.secret };
    };
    yield (await step('company_key', name, state.companyKeys.get(name) ?? null, make))[0];
  }
}

const nameOf = (wanted: Onboarding, state: State, who: 'company' | 'investor'): string =>
  state[who]?.name ?? wanted[who]?.name ?? '';
