import type {
  AccessRequestInput,
  AccessRequest as AccessRequestOfCore,
  AccessRequestStatus,
  GrantableScope,
  ListAccessRequestsInput,
  RequestAccessInput,
} from '#core';
import { procedure, typed } from './procedures.ts';

/** An access request, as its own investor sees it. */
export interface AccessRequest {
  readonly id: string;
  readonly companyId: string;
  readonly requestedScopes: GrantableScope[];
  /** What the company approved; empty until it has. */
  readonly approvedScopes: GrantableScope[];
  readonly status: AccessRequestStatus;
  readonly purpose: string | null;
  /** The end of the grant, in RFC 3339; null until there is one. */
  readonly expiresAt: string | null;
  /** RFC 3339. */
  readonly createdAt: string;
}

/** What became of asking for access. */
export interface AccessRequested {
  /** `existing` when a live request covers what is asked. */
  readonly outcome: 'created' | 'existing';
  /** Whether this repeats what the same idempotency key was told before. */
  readonly replayed: boolean;
  readonly accessRequest: AccessRequest;
}

function presentAccessRequest(request: AccessRequestOfCore): AccessRequest {
  return {
    id: request.id,
    companyId: request.companyId,
    requestedScopes: [...request.requestedScopes],
    approvedScopes: [...request.approvedScopes],
    status: request.status,
    purpose: request.purpose,
    expiresAt: request.expiresAt?.toISOString() ?? null,
    createdAt: request.createdAt.toISOString(),
  };
}

export const accessRequestProcedures = {
  /**
   * Asks a company for access, or finds that a live request covers what is asked. With an `idempotencyKey` it is carried
   * out once, however often it is sent within 24 hours.
   */
  create: procedure
    .input(typed<RequestAccessInput>)
    .mutation(async ({ ctx: { useCases, caller }, input }): Promise<AccessRequested> => {
      const { outcome, replayed, accessRequest } = await useCases.requestAccess(caller, input);
      return { outcome, replayed, accessRequest: presentAccessRequest(accessRequest) };
    }),

  /** All your access requests, newest first, each with the status that it has now. */
  list: procedure
    .input(typed<ListAccessRequestsInput | undefined>)
    .query(async ({ ctx: { useCases, caller }, input }) =>
      (await useCases.listAccessRequests(caller, input)).map(presentAccessRequest),
    ),

  /** One of your access requests, with the status that it has now. */
  get: procedure
    .input(typed<AccessRequestInput>)
    .query(async ({ ctx: { useCases, caller }, input }) =>
      presentAccessRequest(await useCases.readAccessRequest(caller, input)),
    ),
};
