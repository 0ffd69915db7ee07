import { expect } from 'vitest';
import { payloadOf } from '../../support/receipt-chain.ts';
import { dataOf, expectRefused } from '../outcomes.ts';
import type { Topic } from '../scenario.ts';

const names = ['Zebra', 'alpha', 'Ähre', 'Alpha', 'Übermut 株式会社 🏦', 'A&B <i>"x"</i>', '½'];

export const lists: Topic = {
  title: 'lists',
  scenarios: [
    {
      name: 'companies are sorted by name, and names in any writing system are returned unchanged',
      async run({ driver, fixtures }) {
        const investor = await fixtures.investor();
        for (const name of names) await fixtures.companyOf(investor, name);
        const { key } = await fixtures.key(investor);
        const listed = dataOf(await driver.listCompanies(key)).map(({ name }) => name);
        expect(listed).toEqual(names.toSorted());
      },
    },
    {
      name: 'a company that approved some scopes is listed with these scopes and the end of the grant',
      async run({ driver, fixtures, operator }) {
        const { key, company } = await fixtures.portfolio();
        const { id } = await fixtures.request(key, company.id);
        const end = '9999-12-31T23:59:59.999Z';
        await operator.approveAccessRequest({
          id,
          scopes: ['sources:read', 'metrics:read'],
          expiresAt: new Date(end),
        });
        const [listed] = dataOf(await driver.listCompanies(key));
        expect(listed?.grant).toEqual({
          approvedScopes: ['metrics:read', 'sources:read'],
          expiresAt: end,
        });
      },
    },
    {
      name: 'an empty portfolio has empty lists of companies and access requests',
      async run({ driver, fixtures }) {
        const { key } = await fixtures.key(await fixtures.investor());
        expect(dataOf(await driver.listCompanies(key))).toEqual([]);
        expect(dataOf(await driver.listAccessRequests(key))).toEqual([]);
      },
    },
    {
      name: 'access requests are listed newest first, and include ended requests',
      async run({ driver, fixtures, operator }) {
        const { company, investor, key } = await fixtures.portfolio();
        const { id } = await fixtures.request(key, company.id, ['metrics:read']);
        await operator.declineAccessRequest({ id, reason: 'Not now.' });
        await fixtures.request(key, (await fixtures.companyOf(investor)).id);
        await fixtures.request(key, company.id);
        const listed = dataOf(await driver.listAccessRequests(key));
        expect(listed.map(({ status }) => status).toSorted()).toEqual([
          'declined',
          'pending',
          'pending',
        ]);
        const created = listed.map(({ createdAt }) => createdAt);
        expect(created).toEqual(created.toSorted().toReversed());
      },
    },
    {
      name: 'the receipts of a request are listed oldest first',
      async run({ driver, fixtures, operator }) {
        const made = await fixtures.portfolio();
        const { id } = await fixtures.request(made.key, made.company.id);
        await operator.approveAccessRequest({ id });
        const receipts = dataOf(await driver.readReceipts(made.key, id));
        const payloads = receipts.map(payloadOf);
        expect(payloads.map(({ status }) => status)).toEqual(['pending', 'approved']);
        expect(payloads[1]?.previous_receipt_id).toBe(receipts[0]?.id);
        expectRefused(await driver.readReceipts(made.key, 'ar_none'), 'access_request_not_found');
      },
    },
    {
      name: 'the filter of a list returns invalid_parameter for an unknown status',
      async run({ driver, fixtures }) {
        const { key } = await fixtures.portfolio();
        expectRefused(await driver.listAccessRequests(key, 'unknown'), 'invalid_parameter');
      },
    },
  ],
};
