import type { Company } from '../company-data/company.ts';
import type { EntryMethod } from '../company-data/entered-metric.ts';
import type { WebhookEndpoint } from '../events/webhook-endpoint.ts';
import type { Ids } from '../platform.ts';
import type { Permitted } from './acting-credential.ts';
import type { ApiKey } from './api-key.ts';
import type { CompanyKey } from './company-key.ts';
import type { Contact } from './contact.ts';
import type { Investor } from './investor.ts';
import type { Owner } from './owner.ts';

export const settingsChangeTypes = [
  'contact.added',
  'contact.removed',
  'contact.role_changed',
  'contact.erased',
  'api_key.created',
  'api_key.renamed',
  'api_key.rotated',
  'api_key.revoked',
  'company_key.created',
  'company_key.renamed',
  'company_key.rotated',
  'company_key.revoked',
  'webhook_endpoint.created',
  'webhook_endpoint.changed',
  'webhook_endpoint.removed',
  'webhook_endpoint.enabled',
  'webhook_endpoint.disabled',
  'webhook_endpoint.secret_rotated',
  'portfolio.company_added',
  'portfolio.company_removed',
  'company.created',
  'company.renamed',
  'company.suspended',
  'company.resumed',
  'company.approval_rule_changed',
  'company.erased',
  'company_data.entered',
  'investor.created',
  'investor.renamed',
  'investor.suspended',
  'investor.resumed',
  'investor.erased',
  'access_log.dropped',
] as const;

export type SettingsChangeType = (typeof settingsChangeTypes)[number];

/** The admins get a mail about these changes, because an intruder usually makes one of them first. */
export const warnedTypes: readonly SettingsChangeType[] = [
  'contact.added',
  'contact.removed',
  'contact.role_changed',
  'contact.erased',
  'api_key.created',
  'api_key.rotated',
  'company_key.created',
  'company_key.rotated',
  'webhook_endpoint.created',
  'webhook_endpoint.changed',
  'company.approval_rule_changed',
];

/**
 * The contact whom the entry is about also gets a mail about these changes, because the contact may have been an admin.
 * The name of the entry's subject is the contact's address.
 */
export const subjectWarnedTypes: readonly SettingsChangeType[] = [
  'contact.removed',
  'contact.role_changed',
];

export const settingsActorTypes = [
  'operator',
  'company_key',
  'api_key',
  'contact',
  'service',
] as const;

/**
 * The actor of a change. If the actor is a contact, `name` is the contact's address at the time of the change. The
 * contact may have been removed since then.
 */
export interface SettingsActor {
  readonly type: (typeof settingsActorTypes)[number];
  readonly id: string | null;
  readonly name: string | null;
}

export interface SettingsSubject {
  readonly type:
    | 'contact'
    | 'api_key'
    | 'company_key'
    | 'webhook_endpoint'
    | 'company'
    | 'investor'
    | 'access_log';
  readonly id: string;
  readonly name: string;
}

type Value = string | number | readonly string[] | null;

/** The old and new value of each property. Never contains a secret or its digest. */
export type ChangedValues = Readonly<Record<string, { readonly from: Value; readonly to: Value }>>;

/** An entry of the settings log, written in the change's transaction. Only an erasure can change it later. */
export interface SettingsChange {
  readonly id: string;
  readonly type: SettingsChangeType;
  readonly createdAt: Date;
  /** A change to a portfolio has two owners: a company and an investor. The access log has no owner. */
  readonly companyId: string | null;
  readonly investorId: string | null;
  readonly actor: SettingsActor;
  readonly subject: SettingsSubject;
  readonly changes: ChangedValues;
}

/** The actor of a settings change. For an operator, all fields are absent. */
export interface Acting {
  readonly kind?: string;
  readonly credentialId?: string;
  readonly contactId?: string;
  readonly email?: string;
}

/** The owner of the changed settings, and the actor. Null means an operator, who isn't bound to an owner. */
export type ActingOwnerOrOperator = (Owner & Acting & Permitted) | null;

function settingsActorOf(acting: Acting | null): SettingsActor {
  const { kind, credentialId = null, contactId, email = null } = acting ?? {};
  if (kind === 'service') return { type: 'service', id: null, name: null };
  if (contactId !== undefined) return { type: 'contact', id: contactId, name: email };
  if (kind === undefined) return { type: 'operator', id: null, name: null };
  return { type: kind === 'company' ? 'company_key' : 'api_key', id: credentialId, name: null };
}

/** The service as the actor: it disables a webhook endpoint after a response with status 410. */
export const service: Acting = { kind: 'service' };

export type Changed = Pick<SettingsChange, 'type' | 'subject' | 'changes'> &
  Partial<Pick<SettingsChange, 'companyId' | 'investorId'>>;

export const settingsChange = (
  ids: Ids,
  createdAt: Date,
  acting: Acting | null,
  changed: Changed,
): SettingsChange => ({
  companyId: null,
  investorId: null,
  ...changed,
  id: ids.next('chg'),
  createdAt,
  actor: settingsActorOf(acting),
});

/** Returns the values that differ between two states. A null state has no values. */
function differences<T>(
  shown: (thing: T) => Readonly<Record<string, Value>>,
  before: T | null,
  after: T | null,
): ChangedValues {
  const [old, fresh] = [before && shown(before), after && shown(after)];
  const pairs = Object.keys({ ...old, ...fresh }).map(
    (name) => [name, { from: old?.[name] ?? null, to: fresh?.[name] ?? null }] as const,
  );
  return Object.fromEntries(
    pairs.filter(([, { from, to }]) => JSON.stringify(from) !== JSON.stringify(to)),
  );
}

type AnyKey = ApiKey | CompanyKey;

const shownKey = (key: AnyKey) => ({
  name: key.name,
  hint: key.hint,
  scopes: key.scopes,
  expiresAt: key.expiresAt?.toISOString() ?? null,
  ...('companyId' in key ? { source: key.source } : { rateLimit: key.rateLimit }),
});

/** Creates the entry about a key. The entry of a rotated key names the new key. */
export function changeOfKey(
  act: 'created' | 'renamed' | 'rotated' | 'revoked',
  before: AnyKey | null,
  after: AnyKey,
): Changed {
  const type = 'companyId' in after ? 'company_key' : 'api_key';
  const key = before ?? after;
  return {
    type: `${type}.${act}`,
    ...('companyId' in after ? { companyId: after.companyId } : { investorId: after.investorId }),
    subject: { type, id: key.id, name: key.name ?? key.hint },
    changes: {
      ...differences(shownKey, before, act === 'revoked' ? null : after),
      ...(act === 'rotated' && { replacedBy: { from: null, to: after.id } }),
    },
  };
}

export function changeOfContact(
  act: 'added' | 'removed' | 'role_changed',
  before: Contact | null,
  after: Contact | null,
): Changed {
  const contact = (after ?? before) as Contact;
  return {
    type: `contact.${act}`,
    ...contact.owner,
    subject: { type: 'contact', id: contact.id, name: contact.email },
    changes: differences(({ email, role }: Contact) => ({ email, role }), before, after),
  };
}

/** @param name the pseudonym that replaces the contact's address */
export const changeOfErasedContact = (id: string, owner: Owner, name: string): Changed => ({
  type: 'contact.erased',
  ...owner,
  subject: { type: 'contact', id, name },
  changes: {},
});

type WebhookAct = 'created' | 'changed' | 'removed' | 'enabled' | 'disabled' | 'secret_rotated';

const shownEndpoint = ({ url, types, disabledReason }: WebhookEndpoint) => ({
  url,
  types,
  disabledReason,
});

export const changeOfWebhook = (
  act: WebhookAct,
  before: WebhookEndpoint | null,
  after: WebhookEndpoint | null,
): Changed => {
  const endpoint = (after ?? before) as WebhookEndpoint;
  return {
    type: `webhook_endpoint.${act}`,
    ...endpoint.owner,
    subject: { type: 'webhook_endpoint', id: endpoint.id, name: endpoint.url },
    changes: differences(shownEndpoint, before, after),
  };
};

/**
 * Creates the entry about a change to a portfolio. The company's log shows the entry with the investor's name. The
 * investor's log shows it with the company's name.
 */
export const changeOfPortfolio = (
  act: 'company_added' | 'company_removed',
  { id: investorId, name: investorName }: Pick<Investor, 'id' | 'name'>,
  { id, name }: Pick<Company, 'id' | 'name'>,
): Changed => {
  const [from, to] = act === 'company_added' ? [null, investorName] : [investorName, null];
  return {
    type: `portfolio.${act}`,
    companyId: id,
    investorId,
    subject: { type: 'company', id, name },
    changes: { portfolioOf: { from, to } },
  };
};

/** The maximum number of metric keys in an entry. The first keys in alphabetical order are listed. */
const maxEnteredKeys = 50;

/** Creates the entry about data from an upload or a form. The caller adds the counts from `changesOfEntry`. */
export const changeOfEnteredData = (
  { id, name }: Pick<Company, 'id' | 'name'>,
  { method, reason }: { readonly method: EntryMethod; readonly reason: string | null },
): Changed => ({
  type: 'company_data.entered',
  companyId: id,
  subject: { type: 'company', id, name },
  changes: {
    method: { from: null, to: method },
    ...(reason !== null && { reason: { from: null, to: reason } }),
  },
});

export function changesOfEntry({ metricKeys, ...counts }: EnteredData): ChangedValues {
  const entered = Object.entries({ ...counts, metricKeys: metricKeys.slice(0, maxEnteredKeys) });
  const isSome = (value: number | readonly string[]) => typeof value !== 'number' || value > 0;
  return Object.fromEntries(
    entered
      .filter(([, value]) => isSome(value))
      .map(([name, value]) => [name, { from: null, to: value }]),
  );
}

interface EnteredData {
  readonly created: number;
  readonly revised: number;
  readonly voided: number;
  readonly metricKeys: readonly string[];
}

export function changeOfParty(
  act: 'created' | 'renamed' | 'suspended' | 'resumed' | 'erased',
  owner: Owner,
  before: Company | Investor | null,
  after: Company | Investor,
): Changed {
  const type = 'companyId' in owner ? 'company' : 'investor';
  const shown = ({ name, suspendedAt }: Company | Investor) => ({
    name,
    suspendedAt: suspendedAt?.toISOString() ?? null,
  });
  return {
    type: `${type}.${act}`,
    ...owner,
    subject: { type, id: after.id, name: after.name },
    changes: differences(shown, before, after),
  };
}

export const changeOfApprovalRule = (
  { id, name }: Pick<Company, 'id' | 'name'>,
  from: number,
  to: number,
): Changed => ({
  type: 'company.approval_rule_changed',
  companyId: id,
  subject: { type: 'company', id, name },
  changes: { approvalsRequired: { from, to } },
});

export const changeOfAccessLog = (day: string, records: number, sha256: string): Changed => ({
  type: 'access_log.dropped',
  subject: { type: 'access_log', id: day, name: day },
  changes: { records: { from: records, to: 0 }, exportDigest: { from: null, to: sha256 } },
});
