import {
  type AccessRequest,
  accessRequestInput,
  type CallerUseCases,
  listAccessRequestsInput,
  requestAccessOnceInput,
} from '#core';
import { checked, procedure } from './procedures.ts';

/** What its own investor sees of a request. */
type PresentedAccessRequest = Pick<
  AccessRequest,
  | 'id'
  | 'companyId'
  | 'requestedScopes'
  | 'approvedScopes'
  | 'status'
  | 'purpose'
  | 'expiresAt'
  | 'createdAt'
>;

function presentAccessRequest(request: AccessRequest): PresentedAccessRequest {
  return {
    id: request.id,
    companyId: request.companyId,
    requestedScopes: request.requestedScopes,
    approvedScopes: request.approvedScopes,
    status: request.status,
    purpose: request.purpose,
    expiresAt: request.expiresAt,
    createdAt: request.createdAt,
  };
}

export const accessRequestProcedures = (useCases: CallerUseCases) => ({
  /**
   * Asks a company for access, or finds that a live request covers what is asked. With an `idempotencyKey` it is carried
   * out once, however often it is sent within 24 hours.
   */
  create: procedure
    .input(checked(requestAccessOnceInput))
    .mutation(async ({ ctx, input: { idempotencyKey, ...wanted } }) => {
      const { outcome, replayed, accessRequest } = await useCases.requestAccess(
        ctx.caller,
        wanted,
        idempotencyKey ?? null,
      );
      return { outcome, replayed, accessRequest: presentAccessRequest(accessRequest) };
    }),

  /** All your access requests, newest first, each with the status that it has now. */
  list: procedure
    .input(checked(listAccessRequestsInput.optional()))
    .query(async ({ ctx, input = {} }) => {
      const requests = await useCases.listAccessRequests(ctx.caller, input);
      return requests.map(presentAccessRequest);
    }),

  /** One of your access requests, with the status that it has now. */
  get: procedure
    .input(checked(accessRequestInput))
    .query(async ({ ctx, input }) =>
      presentAccessRequest(await useCases.readAccessRequest(ctx.caller, input.id)),
    ),
});
