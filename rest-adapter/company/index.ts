import type { CompanyCaller, CompanyUseCases } from '#core';
import { companyCallerOf } from '#http';
import type { Api, ApiOptions } from '../api.ts';
import { type CompanyContext, type CompanyEndpoint, createContext } from '../context.ts';
import { exampleIds } from '../example-ids.ts';
import { receiptEndpoint } from '../receipt.ts';
import { waitingHead, waitingReceipt } from '../receipt-examples.ts';
import { webhookEndpointEndpoints } from '../webhook-endpoints.ts';
import { accessRecordEndpoints } from './access-records.ts';
import { accessRequestEndpoints } from './access-requests.ts';
import { dataEndpoints } from './data.ts';
import { decisionEndpoints } from './decisions.ts';
import { eventEndpoints, webhooks } from './events.ts';
import { ownDataEndpoints } from './own-data.ts';
import { settingsChangeEndpoints } from './settings-changes.ts';

const description = `Decide who reads your company's data, and see who did. This API isn't part of the contract of \`/v1\`; this service adds it.

**Access requests** of investors wait for your decision. You can approve a request, approve a part of it, or decline it. Name the scopes that you approve. Otherwise you also approve scopes that the investor has added in the meantime. A grant ends on its end date. You can narrow, pause, extend or revoke a grant at any time. After you pause or revoke a grant, the next read is refused. You can repeat a decision: the response is 200, and nothing changes.

**Access records** show every read of your data, and every read that was refused.

**Data**: read your data as investors would see it, and push data from your systems.

**Keys** have scopes: \`consents:manage\`, \`data:read\` and \`data:write\`. Each operation names its scope.

**Webhooks** notify you of events at once, in the form of [Standard Webhooks](https://www.standardwebhooks.com).

**Errors** always have the same envelope; branch on \`error.code\`. Each code is explained under [the error codes](/docs/errors). Another company's data looks to you like data that doesn't exist.

**Limits**: all keys of a company with \`consents:manage\` share one budget of points per window. All other keys of the company share a second budget. A request costs one point. A push costs one point per 100 records, rounded up. Every response has the \`RateLimit-*\` headers.`;

const tags = {
  'Access requests': 'Requests for your data, and your decisions.',
  Decisions: 'Approve, decline, narrow, pause, extend or revoke.',
  'Access records': 'The reads of your data, including refused reads.',
  Events: 'The changes of access requests and data, in the same order for every reader.',
  Data: 'Read and push your own data.',
  'Webhook endpoints': 'The URLs that are notified of events.',
  'Settings log': 'The changes of your contacts, keys and webhooks.',
};

const managing = (endpoints: readonly CompanyEndpoint[]): CompanyEndpoint[] =>
  endpoints.map((each) => ({ ...each, scope: 'consents:manage' }));

export const createCompanyApi = (options: ApiOptions<CompanyUseCases>): Api<CompanyContext> => {
  const { useCases } = options;
  return {
    prefix: '/company/v1',
    title: 'Portfolio Access company API',
    summary: 'Decide who reads your data, and see who did.',
    description,
    tags,
    credential: {
      name: 'companyKey',
      description: 'A company key, `svc_ck_live_…` or `svc_ck_test_…`.',
    },
    endpoints: [
      ...managing([
        ...accessRequestEndpoints(useCases),
        ...decisionEndpoints(useCases),
        receiptEndpoint<CompanyContext>(
          '/company/v1/access-requests',
          { request: exampleIds.waiting, receipt: waitingReceipt, head: waitingHead },
          [],
          ({ caller }, input) => useCases.readReceivedReceipts(caller, input),
        ),
        ...accessRecordEndpoints(useCases),
        ...eventEndpoints(useCases),
        ...webhookEndpointEndpoints<CompanyCaller>({
          prefix: '/company/v1',
          useCases,
          example: {
            id: exampleIds.webhookEndpoint,
            company_id: 'co_juniper',
            url: 'https://hooks.juniper.example/portfolio-access',
          },
          oldId: exampleIds.oldWebhookEndpoint,
        }),
        ...settingsChangeEndpoints(useCases),
      ]),
      ...ownDataEndpoints(useCases),
      ...dataEndpoints(useCases),
    ],
    webhooks,
    createContext: (request) =>
      createContext('company', companyCallerOf(request), request, options),
  };
};
