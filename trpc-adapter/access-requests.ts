import {
  type AccessEventType,
  type AccessRequestStatus,
  type AccessUse,
  type Actor,
  accessRequestInput,
  amendAccessRequestInput,
  type GrantableScope,
  listAccessRequestsInput,
  receiptsInput,
  requestAccessInput,
  type SignInWay,
  withdrawAccessRequestInput,
} from '#core';
import { presentAccessEvent, presentAccessRequest, presentReceipt } from '#http';
import { procedure, showInput } from './procedures.ts';

/** The limits of the access, in addition to its scopes. */
export interface AccessTerms {
  /** The metrics that may be read, 1 to 200 keys. Null allows all. */
  readonly metricKeys: string[] | null;
  /** The first period that may be read, `YYYY-MM-DD`. Null allows all periods. */
  readonly historyFrom: string | null;
  /** `once` ends the grant 24 hours after its first read. `ongoing`, the default, doesn’t. */
  readonly use: AccessUse;
}

/** An access request, as its investor sees it. */
export interface AccessRequest {
  /** ID of the request, of the form `ar_…`. */
  readonly id: string;
  /** ID of the company. */
  readonly companyId: string;
  /** The requested scopes. */
  readonly requestedScopes: GrantableScope[];
  /** The scopes that the company approved. Empty before the approval. */
  readonly approvedScopes: GrantableScope[];
  /**
   * The scopes that the investor has requested in addition to the grant. The company hasn’t decided on them yet. The
   * grant stays in force.
   */
  readonly pendingScopes: GrantableScope[];
  /** The present status. */
  readonly status: AccessRequestStatus;
  /** The investor’s reason for the request. Null if none exists. */
  readonly purpose: string | null;
  /**
   * The purpose of the addition to the grant. It replaces `purpose` when the company approves the addition. Null if none
   * exists.
   */
  readonly pendingPurpose: string | null;
  /** The company’s reason for declining or revoking. Null if none exists. */
  readonly reason: string | null;
  /** Time of the company’s last decision, in RFC 3339. Null before the first one. */
  readonly decidedAt: string | null;
  /** The end of the grant, in RFC 3339. Null before the approval. */
  readonly expiresAt: string | null;
  /** The requested terms. Null if the investor requested access without limits. */
  readonly requestedTerms: AccessTerms | null;
  /** The terms of the grant. Null for a grant without limits, and before the approval. */
  readonly approvedTerms: AccessTerms | null;
  /**
   * The wider terms that the investor has requested for the grant. The company hasn’t decided on them yet. The grant
   * keeps its terms. Null if none exist.
   */
  readonly pendingTerms: AccessTerms | null;
  /** Time at which the company paused the grant, in RFC 3339. Null unless the grant is paused. */
  readonly pausedAt: string | null;
  /**
   * Time at which the request was declined, revoked, withdrawn or expired, in RFC 3339. Null while it is pending or
   * approved.
   */
  readonly endedAt: string | null;
  /** Time at which the request expires unless the company answers, in RFC 3339. Null unless the request is pending. */
  readonly answerBy: string | null;
  /** Time of the request, in RFC 3339. */
  readonly createdAt: string;
}

/** A page of your access requests. */
export interface AccessRequestPage {
  readonly items: AccessRequest[];
  /** The `cursor` of the next page. Null on the last page. */
  readonly nextCursor: string | null;
}

/** The actor of a change. */
export interface AccessRequestActor {
  /** The kind of actor. */
  readonly type: Actor['type'];
  /** ID of the investor, company key or contact. Null for other actors. */
  readonly id: string | null;
  /** How the contact signed in. Absent for other actors. */
  readonly signedInBy?: SignInWay;
}

/** One change of an access request. */
export interface AccessRequestEvent {
  /** The type of the change. */
  readonly type: AccessEventType;
  /** Time of the change, in RFC 3339. */
  readonly createdAt: string;
  /** The actor of the change. */
  readonly actor: AccessRequestActor;
  /** The reason given with the change. Null if none exists. */
  readonly reason: string | null;
  /** The approved scopes right after the change. */
  readonly approvedScopes: GrantableScope[];
  /** The end of the grant right after the change, in RFC 3339. Null if there is no grant. */
  readonly expiresAt: string | null;
}

/**
 * The signed receipt of one change of an access request. The investor and the company get the same receipt. Each
 * receipt names the previous one.
 */
export interface ConsentReceipt {
  /** ID of the receipt, of the form `rcpt_…`. */
  readonly id: string;
  /**
   * The signed receipt: a compact JWS of the type `consent-receipt+jws`. The key for its `kid` is in
   * `/.well-known/jwks.json`.
   */
  readonly jws: string;
}

/** The signed head of an access request's receipts. */
export interface ReceiptsHead {
  /**
   * A compact JWS of the type `consent-receipts-head+jws`. Null if there are more pages, or if the service has no
   * signing key.
   */
  readonly head: string | null;
}

/** The result of requesting access. */
export interface AccessRequested {
  /** `existing` if a live request already covers the scopes and the terms. */
  readonly outcome: 'created' | 'existing';
  /** True if the call was already carried out under the same idempotency key. */
  readonly replayed: boolean;
  readonly accessRequest: AccessRequest;
}

export const accessRequestProcedures = {
  /**
   * Requests access to a company, or returns the live request that covers the scopes and the terms. Calls with
   * the same `idempotencyKey` within 24 hours are carried out once.
   */
  create: procedure
    .input(showInput(requestAccessInput))
    .mutation(async ({ ctx: { useCases, caller }, input }): Promise<AccessRequested> => {
      const { outcome, replayed, accessRequest } = await useCases.requestAccess(caller, input);
      return { outcome, replayed, accessRequest: presentAccessRequest(accessRequest) };
    }),

  /**
   * Returns a page of your access requests, newest first, with their present status. The default `limit` is 50, the
   * maximum is 200. Pass `nextCursor` as `cursor` to get the next page.
   */
  list: procedure
    .input(showInput(listAccessRequestsInput.optional()))
    .query(async ({ ctx: { useCases, caller }, input }): Promise<AccessRequestPage> => {
      const { items, nextCursor } = await useCases.listAccessRequests(caller, input);
      return { items: items.map(presentAccessRequest), nextCursor };
    }),

  /** Returns one of your access requests with its present status. */
  get: procedure
    .input(showInput(accessRequestInput))
    .query(
      async ({ ctx: { useCases, caller }, input }): Promise<AccessRequest> =>
        presentAccessRequest(await useCases.readAccessRequest(caller, input)),
    ),

  /**
   * Adds scopes or wider terms to one of your live access requests. A pending request then includes them. A grant stays
   * in force, and they wait in `pendingScopes` and `pendingTerms` for the company's decision.
   */
  amend: procedure
    .input(showInput(amendAccessRequestInput))
    .mutation(
      async ({ ctx: { useCases, caller }, input }): Promise<AccessRequest> =>
        presentAccessRequest(await useCases.amendAccessRequest(caller, input)),
    ),

  /** Withdraws one of your pending access requests, or gives up its grant. Can be repeated safely. */
  withdraw: procedure
    .input(showInput(withdrawAccessRequestInput))
    .mutation(
      async ({ ctx: { useCases, caller }, input }): Promise<AccessRequest> =>
        presentAccessRequest(await useCases.withdrawAccessRequest(caller, input)),
    ),

  /** Returns the history of one of your access requests, oldest first. Contains the newest 100 changes. */
  history: procedure
    .input(showInput(accessRequestInput))
    .query(
      async ({ ctx: { useCases, caller }, input }): Promise<AccessRequestEvent[]> =>
        (await useCases.readAccessRequestHistory(caller, input)).map(presentAccessEvent),
    ),

  /**
   * Returns the receipts of one of your access requests, oldest first. The list ends before the first unsigned receipt,
   * and has up to 200 receipts. Pass the last ID as `cursor` to get more.
   */
  receipts: procedure
    .input(showInput(receiptsInput))
    .query(async ({ ctx: { useCases, caller }, input }): Promise<ConsentReceipt[]> => {
      const { items } = await useCases.readReceipts(caller, input, { head: false });
      return items.map(presentReceipt);
    }),

  /**
   * Returns a compact JWS of the type `consent-receipts-head+jws` with the number of receipts, the ID of the last
   * receipt, and the time. Call this procedure with the same input as `receipts`.
   */
  receiptsHead: procedure.input(showInput(receiptsInput)).query(
    async ({ ctx: { useCases, caller }, input }): Promise<ReceiptsHead> => ({
      head: await useCases.readReceiptsHead(caller, input),
    }),
  ),
};
