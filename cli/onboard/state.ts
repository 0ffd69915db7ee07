import {
  type ApiKey,
  type Company,
  type CompanyKey,
  type Contact,
  type Investor,
  isFutureEnd,
  type OperatorUseCases,
  stateOfKey,
} from '#core';
import type {
  ApiKeyDocument,
  CompanyKeyDocument,
  ContactDocument,
  Onboarding,
} from './document.ts';

/** The objects of an onboarding that already exist. */
export interface State {
  readonly investor: Investor | null;
  readonly company: Company | null;
  readonly isMember: boolean;
  /** Keyed by email address. */
  readonly contacts: ReadonlyMap<string, Contact>;
  readonly investorContacts: ReadonlyMap<string, Contact>;
  /** The active keys, by name. */
  readonly apiKeys: ReadonlyMap<string, ApiKey>;
  readonly companyKeys: ReadonlyMap<string, CompanyKey>;
}

export async function readState(
  wanted: Onboarding,
  operator: OperatorUseCases,
  now: Date,
): Promise<{ state: State; contradictions: string[] }> {
  const contradictions: string[] = [];
  const find = (kind: 'investor' | 'company', all: readonly Organisation[]) =>
    findOrganisation(kind, wanted, all, contradictions);

  const investor = find('investor', await operator.listInvestors());
  const company = find('company', await operator.listCompanies());
  const ofInvestor = investor && { investorId: investor.id };
  const ofCompany = company && { companyId: company.id };
  const apiKeys = ofInvestor && (await operator.listApiKeys(ofInvestor));
  const investorContacts = ofInvestor && (await operator.listContacts(ofInvestor));
  const companyKeys = ofCompany && (await operator.listCompanyKeys(ofCompany));
  const contacts = ofCompany && (await operator.listContacts(ofCompany));
  const state = {
    investor,
    company,
    isMember:
      ofInvestor !== null &&
      ofCompany !== null &&
      (await isInPortfolio(operator, { ...ofInvestor, ...ofCompany })),
    contacts: findContacts(wanted.company?.contacts, contacts, contradictions),
    investorContacts: findContacts(wanted.investor?.contacts, investorContacts, contradictions),
    apiKeys: findKeys(wanted.investor?.keys, apiKeys, now, contradictions),
    companyKeys: findKeys(wanted.company?.keys, companyKeys, now, contradictions),
  };
  return { state, contradictions };
}

type Organisation = Investor | Company;

function findOrganisation(
  kind: 'investor' | 'company',
  { environment, [kind]: named }: Onboarding,
  all: readonly Organisation[],
  contradictions: string[],
): Organisation | null {
  if (named === undefined) return null;
  const { id, name } = named;
  if (id === undefined) {
    const [found, ...others] = all.filter(
      (one) => one.name === name && one.environment === environment,
    );
    if (found === undefined || others.length === 0) return found ?? null;
    const ids = [found, ...others].map((one) => one.id).join(', ');
    contradictions.push(`several are called "${name}", so name the ${kind} by its id: ${ids}`);
    return null;
  }
  const found = all.find((one) => one.id === id);
  if (found === undefined) {
    if (kind === 'investor') {
      contradictions.push(`the investor ${id} doesn’t exist: remove the id to create an investor`);
    } else if (name === undefined) {
      contradictions.push(`the company ${id} doesn’t exist: add a name to create it`);
    }
    return null;
  }
  if (found.environment !== environment) {
    contradictions.push(
      `the ${kind} ${id} belongs to the ${found.environment} environment, not to ${environment}`,
    );
  }
  if (name !== undefined && found.name !== name) {
    contradictions.push(`the ${kind} ${id} is called "${found.name}", not "${name}"`);
  }
  return found;
}

async function isInPortfolio(
  { listPortfolios }: Pick<OperatorUseCases, 'listPortfolios'>,
  pair: { readonly investorId: string; readonly companyId: string },
): Promise<boolean> {
  const { memberships } = await listPortfolios({ ...pair, limit: 1 });
  return memberships.length > 0;
}

/**
 * An onboarding doesn't change roles, so another role of a contact is a contradiction. The operator can change the role
 * with `contact set-role`.
 */
function findContacts(
  wanted: readonly ContactDocument[] = [],
  contacts: readonly Contact[] | null,
  contradictions: string[],
): Map<string, Contact> {
  const found = new Map(contacts?.map((contact) => [contact.email, contact]));
  for (const { email, role } of wanted) {
    const contact = found.get(email);
    if (contact === undefined || role === undefined || role === contact.role) continue;
    contradictions.push(`the contact ${email} has the role ${contact.role}, not ${role}`);
  }
  return found;
}

/**
 * A revoked or expired key is a contradiction: an operator may have revoked it on purpose, so the onboarding must not
 * create another key.
 */
function findKeys<K extends ApiKey | CompanyKey>(
  wanted: readonly (ApiKeyDocument | CompanyKeyDocument)[] = [],
  keys: readonly K[] | null,
  now: Date,
  contradictions: string[],
): Map<string, K> {
  const found = new Map<string, K>();
  for (const each of wanted) {
    const named = keys?.filter((key) => key.name === each.name) ?? [];
    const live = named.filter((key) => stateOfKey(key, now) === 'live');
    const [key, ...others] = live;
    if (others.length > 0) {
      const ids = live.map(({ id }) => id).join(', ');
      contradictions.push(`several keys are called "${each.name}": ${ids}`);
    } else if (key !== undefined) {
      found.set(each.name, key);
      contradictions.push(...differences(each, key));
    } else {
      const ended = named.at(-1);
      if (ended !== undefined) {
        const how = stateOfKey(ended, now) === 'revoked' ? 'was revoked' : 'has expired';
        contradictions.push(
          `the key ${ended.id}, "${each.name}", ${how}: give the new key another name`,
        );
      }
      if (each.expires_at !== undefined && !isFutureEnd(each.expires_at, now)) {
        contradictions.push(`the key "${each.name}" would expire before it is created`);
      }
    }
  }
  return found;
}

function* differences(
  wanted: ApiKeyDocument | CompanyKeyDocument,
  key: ApiKey | CompanyKey,
): Generator<string> {
  const name = `the key ${key.id}, "${wanted.name}",`;
  const ends = wanted.expires_at;
  if (ends !== undefined && ends.getTime() !== key.expiresAt?.getTime()) {
    yield `${name} ends ${key.expiresAt?.toISOString() ?? 'never'}, not ${ends.toISOString()}`;
  }
  if (wanted.scopes !== undefined) {
    const [is, not] = [key.scopes, wanted.scopes].map((list) =>
      [...new Set<string>(list)].toSorted().join(),
    );
    if (is !== not) yield `${name} has the scopes ${is}, not ${not}`;
  }
  if ('rateLimit' in key && 'rate_limit' in wanted && wanted.rate_limit !== undefined) {
    if (key.rateLimit !== wanted.rate_limit) {
      yield `${name} has the limit ${key.rateLimit ?? 'of the service'}, not ${wanted.rate_limit}`;
    }
  }
  if ('source' in key && 'source' in wanted && wanted.source !== undefined) {
    if (key.source !== wanted.source) {
      yield `${name} may write data of ${key.source ?? 'any system'}, not of ${wanted.source}`;
    }
  }
}
