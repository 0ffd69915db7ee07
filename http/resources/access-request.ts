import { z } from 'zod';
import { type AccessRequest, accessRequestStatuses, answerBy, findEndedAt } from '#core';
import { accessTermsResource, presentTerms } from './access-terms.ts';
import { companyId, instant, scopeList } from './fields.ts';

export const accessRequestResource = z
  .object({
    id: z.string().meta({ description: 'ID of the request, of the form `ar_…`.' }),
    companyId,
    requestedScopes: scopeList.meta({ description: 'The requested scopes.' }),
    approvedScopes: scopeList.meta({
      description: 'The scopes that the company approved. Empty before the approval.',
    }),
    status: z.enum(accessRequestStatuses).meta({ description: 'The present status.' }),
    purpose: z
      .string()
      .nullable()
      .meta({ description: 'The investor’s reason for the request. Null if none exists.' }),
    expiresAt: instant
      .nullable()
      .meta({ description: 'The end of the grant, in RFC 3339. Null before the approval.' }),
    createdAt: instant.meta({ description: 'Time of the request, in RFC 3339.' }),
    reason: z.string().nullable().meta({
      description: 'The company’s reason for declining or revoking. Null if none exists.',
      'x-addition': true,
    }),
    decidedAt: instant.nullable().meta({
      description: 'Time of the company’s last decision, in RFC 3339. Null before the first one.',
      'x-addition': true,
    }),
    pendingScopes: scopeList.meta({
      description:
        'The scopes that the investor has requested in addition to the grant. The company hasn’t decided on them yet. The grant stays in force.',
      'x-addition': true,
    }),
    pendingPurpose: z.string().nullable().meta({
      description:
        'The purpose of the addition to the grant. It replaces `purpose` when the company approves the addition. Null if none exists.',
      'x-addition': true,
    }),
    requestedTerms: accessTermsResource.nullable().meta({
      description: 'The requested terms. Null if the investor requested access without limits.',
      'x-addition': true,
    }),
    approvedTerms: accessTermsResource.nullable().meta({
      description:
        'The terms of the grant. Null for a grant without limits, and before the approval.',
      'x-addition': true,
    }),
    pendingTerms: accessTermsResource.nullable().meta({
      description:
        'The wider terms that the investor has requested for the grant. The company hasn’t decided on them yet. The grant keeps its terms. Null if none exist.',
      'x-addition': true,
    }),
    pausedAt: instant.nullable().meta({
      description:
        'Time at which the company paused the grant, in RFC 3339. Null unless the grant is paused.',
      'x-addition': true,
    }),
    endedAt: instant.nullable().meta({
      description:
        'Time at which the request was declined, revoked, withdrawn or expired, in RFC 3339. Null while it is pending or approved.',
      'x-addition': true,
    }),
    answerBy: instant.nullable().meta({
      description:
        'Time at which the request expires unless the company answers, in RFC 3339. Null unless the request is pending.',
      'x-addition': true,
    }),
  })
  .meta({ description: 'A request for a company’s consent.' });

export function presentAccessRequest(
  request: AccessRequest,
): z.output<typeof accessRequestResource> {
  return {
    id: request.id,
    companyId: request.companyId,
    requestedScopes: [...request.requestedScopes],
    approvedScopes: [...request.approvedScopes],
    pendingScopes: [...request.pendingScopes],
    status: request.status,
    purpose: request.purpose,
    pendingPurpose: request.pendingPurpose,
    reason: request.reason,
    decidedAt: request.decidedAt?.toISOString() ?? null,
    expiresAt: request.expiresAt?.toISOString() ?? null,
    requestedTerms: request.requestedTerms && presentTerms(request.requestedTerms),
    approvedTerms: request.approvedTerms && presentTerms(request.approvedTerms),
    pendingTerms: request.pendingTerms && presentTerms(request.pendingTerms),
    pausedAt: request.pausedAt?.toISOString() ?? null,
    endedAt: findEndedAt(request)?.toISOString() ?? null,
    answerBy: answerBy(request)?.toISOString() ?? null,
    createdAt: request.createdAt.toISOString(),
  };
}
