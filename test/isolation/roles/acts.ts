import type {
  CompanyUseCases,
  ContactCaller,
  InvestorContactCaller,
  InvestorUseCases,
} from '#core';
import type { Fields } from '../../desk/desk.ts';
import type { Stage } from './stage.ts';

interface Form {
  readonly path: string;
  readonly fields: Fields;
}

/** What somebody tries, and who may: in the words of the rule, not by the code that keeps it. */
interface CompanyAct {
  readonly name: string;
  readonly may: readonly ContactCaller['role'][];
  /** Straight to the use cases. */
  ask(useCases: CompanyUseCases, caller: ContactCaller, stage: Stage): Promise<unknown>;
  /** As a form of the desk, where there is one that a program can fill in. */
  readonly form?: (stage: Stage) => Form;
}

/** The same at an investor. */
interface InvestorAct {
  readonly name: string;
  readonly may: readonly InvestorContactCaller['role'][];
  ask(useCases: InvestorUseCases, caller: InvestorContactCaller, stage: Stage): Promise<unknown>;
}

const everybody = ['viewer', 'approver', 'admin'] as const;
const deciders = ['approver', 'admin'] as const;
const admins = ['admin'] as const;

const once = () => crypto.randomUUID();
const until = '365';
const later = () => new Date(Date.now() + 500 * 86_400_000);

const decision = (request: { readonly id: string; readonly version: string }, fields: Fields) => ({
  path: `/desk/requests/${request.id}/decide`,
  fields: { version: request.version, ...fields },
});

export const companyActs: readonly CompanyAct[] = [
  {
    name: 'looks at the requests',
    may: everybody,
    ask: (useCases, caller) => useCases.listReceivedRequests(caller),
  },
  {
    name: 'looks at who has read',
    may: everybody,
    ask: (useCases, caller) => useCases.listReceivedRecords(caller),
  },
  {
    name: 'looks at the keys',
    may: everybody,
    ask: (useCases, caller) => useCases.listOwnKeys(caller),
  },
  {
    name: 'approves',
    may: deciders,
    ask: (useCases, caller, { pending: { id, version } }) =>
      useCases.approveRequest(caller, { id, version }),
    form: ({ pending }) =>
      decision(pending, { decision: 'approve', scopes: ['metrics:read'], until }),
  },
  {
    name: 'declines',
    may: deciders,
    ask: (useCases, caller, { pending: { id, version } }) =>
      useCases.declineRequest(caller, { id, version }),
    form: ({ pending }) => decision(pending, { decision: 'decline' }),
  },
  {
    name: 'revokes',
    may: deciders,
    ask: (useCases, caller, { granted: { id } }) => useCases.revokeRequest(caller, { id }),
    form: ({ granted }) => decision(granted, { decision: 'revoke' }),
  },
  {
    name: 'extends',
    may: deciders,
    ask: (useCases, caller, { granted: { id, version } }) =>
      useCases.extendRequest(caller, { id, version, expiresAt: later() }),
    form: ({ granted }) =>
      decision(granted, { decision: 'extend', expires_at: later().toISOString() }),
  },
  {
    name: 'invites a person',
    may: admins,
    ask: (useCases, caller) => useCases.addOwnContact(caller, { email: 'new@harbor.example' }),
    form: () => ({
      path: '/desk/settings/contacts',
      fields: { email: 'new@harbor.example', role: 'admin' },
    }),
  },
  {
    name: 'gives another role',
    may: admins,
    ask: (useCases, caller, { colleague: { id } }) =>
      useCases.changeOwnContactRole(caller, { id, role: 'admin' }),
    form: ({ colleague: { id } }) => ({
      path: `/desk/settings/contacts/${id}/role`,
      fields: { role: 'admin' },
    }),
  },
  {
    name: 'gives itself the role of an admin',
    may: admins,
    ask: (useCases, caller) =>
      useCases.changeOwnContactRole(caller, { id: caller.contactId, role: 'admin' }),
    form: ({ person: { id } }) => ({
      path: `/desk/settings/contacts/${id}/role`,
      fields: { role: 'admin' },
    }),
  },
  {
    name: 'removes a person',
    may: admins,
    ask: (useCases, caller, { colleague: { id } }) => useCases.removeOwnContact(caller, { id }),
    form: ({ colleague: { id } }) => ({
      path: `/desk/settings/contacts/${id}/remove`,
      fields: {},
    }),
  },
  {
    name: 'makes a key',
    may: admins,
    ask: (useCases, caller) => useCases.createOwnKey(caller, {}),
    form: () => ({
      path: '/desk/settings/keys',
      fields: { scopes: ['data:read'], until: 'none', form: once() },
    }),
  },
  {
    name: 'revokes a key',
    may: admins,
    ask: (useCases, caller, { keyId: id }) => useCases.revokeOwnKey(caller, { id }),
    form: ({ keyId }) => ({ path: `/desk/settings/keys/${keyId}/revoke`, fields: {} }),
  },
  {
    name: 'adds a webhook',
    may: admins,
    ask: (useCases, caller) =>
      useCases.createWebhookEndpoint(caller, { url: 'https://hooks.example.com/in' }),
    form: () => ({
      path: '/desk/settings/webhooks',
      fields: { url: 'https://hooks.example.com/in', form: once() },
    }),
  },
  {
    name: 'brings data',
    may: admins,
    ask: (useCases, caller, { record }) => useCases.pushRecords(caller, { records: [record] }),
  },
];

const readers = ['viewer', 'member', 'admin'] as const;
const askers = ['member', 'admin'] as const;

export const investorActs: readonly InvestorAct[] = [
  {
    name: 'looks at the portfolio',
    may: readers,
    ask: (useCases, caller) => useCases.pagePortfolio(caller),
  },
  {
    name: 'reads',
    may: readers,
    ask: (useCases, caller, { companyId }) => useCases.readLatestMetrics(caller, { companyId }),
  },
  {
    name: 'asks',
    may: askers,
    ask: (useCases, caller, { neighbourId: companyId }) =>
      useCases.requestAccess(caller, { companyId, scopes: ['metrics:read'] }),
  },
  {
    name: 'asks for more',
    may: askers,
    ask: (useCases, caller, { granted: { id } }) =>
      useCases.amendAccessRequest(caller, { id, scopes: ['accounts:read'] }),
  },
  {
    name: 'withdraws',
    may: askers,
    ask: (useCases, caller, { granted: { id } }) => useCases.withdrawAccessRequest(caller, { id }),
  },
  {
    name: 'invites a person',
    may: admins,
    ask: (useCases, caller) => useCases.addOwnContact(caller, { email: 'new@north.example' }),
  },
  {
    name: 'gives itself the role of an admin',
    may: admins,
    ask: (useCases, caller) =>
      useCases.changeOwnContactRole(caller, { id: caller.contactId, role: 'admin' }),
  },
  {
    name: 'removes a person',
    may: admins,
    ask: (useCases, caller, { colleague: { id } }) => useCases.removeOwnContact(caller, { id }),
  },
  {
    name: 'adds a webhook',
    may: admins,
    ask: (useCases, caller) =>
      useCases.createWebhookEndpoint(caller, { url: 'https://hooks.example.com/in' }),
  },
];
