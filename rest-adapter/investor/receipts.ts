import type { CallerUseCases } from '#core';
import { receiptEndpoint } from '../receipt.ts';
import type { InvestorContext, InvestorEndpoint } from './context.ts';

export const receiptEndpoints = (useCases: CallerUseCases): InvestorEndpoint[] => [
  receiptEndpoint<InvestorContext>('/v1/access-requests', ['company_not_found'], (context, input) =>
    useCases.readReceipts(context.caller, input),
  ),
];
