import type { CallerUseCases } from '#core';
import { exampleIds } from '../example-ids.ts';
import { receiptEndpoint } from '../receipt.ts';
import { grantedHead, grantedReceipt } from '../receipt-examples.ts';
import type { InvestorContext, InvestorEndpoint } from './context.ts';

const example = { request: exampleIds.granted, receipt: grantedReceipt, head: grantedHead };

export const receiptEndpoints = (useCases: CallerUseCases): InvestorEndpoint[] => [
  receiptEndpoint<InvestorContext>(
    '/v1/access-requests',
    example,
    ['company_not_found'],
    (context, input) => useCases.readReceipts(context.caller, input),
  ),
];
