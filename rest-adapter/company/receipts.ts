import type { CompanyUseCases } from '#core';
import { exampleIds } from '../example-ids.ts';
import { receiptEndpoint } from '../receipt.ts';
import { waitingHead, waitingReceipt } from '../receipt-examples.ts';
import type { CompanyContext, CompanyEndpoint } from './context.ts';

const example = { request: exampleIds.waiting, receipt: waitingReceipt, head: waitingHead };

export const receiptEndpoints = (useCases: CompanyUseCases): CompanyEndpoint[] => [
  receiptEndpoint<CompanyContext>('/company/v1/access-requests', example, [], (context, input) =>
    useCases.readReceivedReceipts(context.caller, input),
  ),
];
