import type { demoCompanies } from './companies.ts';

/** Keyed by the prefix of the ID. */
export type FixedIds = Readonly<Record<string, string>>;

const ids = (end: string, ...prefixes: string[]): FixedIds =>
  Object.fromEntries(
    prefixes.map((prefix) => [prefix, `${prefix}_019aa1b2c3d47e5f8a9b0c1d2e3f4a${end}`]),
  );

const ofRequest = (end: string) => ids(end, 'ar', 'evt');

/** Fixed IDs of demo objects. The examples of the API reference contain the same IDs. */
export const demoIds = {
  investor: ids('5b', 'inv'),
  requests: {
    co_harbor: ofRequest('5b'),
    co_juniper: ofRequest('5c'),
    co_lumen: {},
    co_orchard: ofRequest('5f'),
  } satisfies Record<(typeof demoCompanies)[number]['id'], FixedIds>,
  otherInvestor: ids('5c', 'inv'),
  requestOfOther: ofRequest('5d'),
  unansweredRequest: ofRequest('5e'),
  webhookEndpoint: ids('5b', 'we'),
  oldWebhookEndpoint: ids('5c', 'we'),
  investorEndpoint: ids('5d', 'we'),
  oldInvestorEndpoint: ids('5e', 'we'),
};
