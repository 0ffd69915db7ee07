import type { CompanyUseCases } from '#core';
import { receiptEndpoint } from '../receipt.ts';
import type { CompanyContext, CompanyEndpoint } from './context.ts';

export const receiptEndpoints = (useCases: CompanyUseCases): CompanyEndpoint[] => [
  receiptEndpoint<CompanyContext>('/company/v1/access-requests', [], (context, input) =>
    useCases.readReceivedReceipts(context.caller, input),
  ),
];
