import type { InvestorKeyCaller, InvestorUseCases } from '#core';
import { investorCallerOf } from '#http';
import type { Api, ApiOptions } from '../api.ts';
import { createContext, type InvestorContext } from '../context.ts';
import { createItemsWriter } from '../data-body.ts';
import { exampleIds } from '../example-ids.ts';
import { receiptEndpoint } from '../receipt.ts';
import { grantedHead, grantedReceipt } from '../receipt-examples.ts';
import { webhookEndpointEndpoints } from '../webhook-endpoints.ts';
import { accessRecordEndpoints } from './access-records.ts';
import { accessRequestEndpoints } from './access-requests.ts';
import { accountEndpoints } from './accounts.ts';
import { apiKeyEndpoints } from './api-key.ts';
import { companyEndpoints } from './companies.ts';
import { eventEndpoints, webhooks } from './events.ts';
import { metricHistoriesEndpoint } from './metric-histories.ts';
import { metricEndpoints } from './metrics.ts';
import { reportEndpoints } from './reports.ts';
import { sourceEndpoints } from './sources.ts';
import { verificationText } from './verification-text.ts';

const description = `Read verified financial metrics of portfolio companies, with each company's consent.

**Two conditions** apply to every company's data: your key has the scope, and the company has granted access. Request access with \`POST /v1/access-requests\`, then wait for the decision. \`GET /v1/events\` lists the events. With \`Accept: text/event-stream\`, it streams them. A company can approve a part of your request. It can pause or revoke access at any time: the next read is then refused.

**Terms** limit a grant to some metrics, to periods from a date on, or to one use. Lists, histories and events leave out metrics and periods outside the terms. A read of one metric outside the terms is refused. A company can narrow the scopes and terms of a grant at any time.

**Additions**: operations, parameters and fields with \`x-addition: true\` in this document aren't part of version 1.0.0 of the contract; this service adds them.

**Errors** always have the same envelope; branch on \`error.code\`. Each code is explained under [the error codes](/docs/errors).

**Limits**: each key has a budget of points per window, and a request costs one point. Every response has the \`RateLimit-*\` headers.

${verificationText}`;

const tags = {
  Companies: 'The companies of your portfolio, with your access to each.',
  'Access requests': 'Request access, and follow the decisions.',
  Events:
    'The changes of your access requests and granted data, in the same order for every reader.',
  Metrics: 'Verified financial metrics, with their source.',
  Sources: 'The connected data sources of a company.',
  Accounts: 'The financial accounts of a company.',
  'Access records': 'The reads by your keys and people, including refused reads.',
  'API key': 'The calling key.',
  'Webhook endpoints': 'The URLs that are notified of events.',
  Reports: 'Announced, not available yet.',
};

export const createInvestorApi = (options: ApiOptions<InvestorUseCases>): Api<InvestorContext> => {
  const { useCases } = options;
  return {
    prefix: '/v1',
    title: 'Portfolio Data Access API',
    summary: 'Consent-gated access to company data.',
    description,
    tags,
    credential: {
      name: 'apiKey',
      description: 'An API key, `svc_sk_live_…` or `svc_sk_test_…`.',
    },
    endpoints: [
      ...companyEndpoints(useCases),
      ...accessRequestEndpoints(useCases),
      receiptEndpoint<InvestorContext>(
        '/v1/access-requests',
        { request: exampleIds.granted, receipt: grantedReceipt, head: grantedHead },
        ['company_not_found'],
        ({ caller }, input) => useCases.readReceipts(caller, input),
      ),
      ...eventEndpoints(useCases),
      ...metricEndpoints(useCases),
      metricHistoriesEndpoint(useCases),
      ...sourceEndpoints(useCases),
      ...accountEndpoints(useCases),
      ...accessRecordEndpoints(useCases),
      ...apiKeyEndpoints(useCases),
      ...webhookEndpointEndpoints<InvestorKeyCaller>({
        prefix: '/v1',
        useCases,
        example: {
          id: exampleIds.investorEndpoint,
          investor_id: exampleIds.investor,
          url: 'https://hooks.sandbox-capital.example/portfolio-access',
        },
        oldId: exampleIds.oldInvestorEndpoint,
      }).map((each) => ({ ...each, scope: 'webhooks:manage' as const })),
      ...reportEndpoints(useCases),
    ],
    webhooks,
    createContext(request) {
      const caller = investorCallerOf(request);
      return {
        ...createContext('rest', caller, request, options),
        writeItems: createItemsWriter(options.cache, 'rest', caller.credentialId),
      };
    },
  };
};
