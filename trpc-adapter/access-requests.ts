import {
  type AccessEventType,
  type AccessRequestStatus,
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
import { procedure, shown } from './procedures.ts';

/** An access request, as its own investor sees it. */
export interface AccessRequest {
  readonly id: string;
  readonly companyId: string;
  readonly requestedScopes: GrantableScope[];
  /** What the company approved; empty until it has. */
  readonly approvedScopes: GrantableScope[];
  /** What is asked for in addition to a grant and not decided on; the grant goes on meanwhile. */
  readonly pendingScopes: GrantableScope[];
  readonly status: AccessRequestStatus;
  readonly purpose: string | null;
  /** What the addition is for; it becomes the purpose when it is approved. */
  readonly pendingPurpose: string | null;
  /** Why the company declined or revoked, in its own words. */
  readonly reason: string | null;
  /** When the company last decided, in RFC 3339; null until it has. */
  readonly decidedAt: string | null;
  /** The end of the grant, in RFC 3339; null until there is one. */
  readonly expiresAt: string | null;
  /**
   * When the request was declined, revoked or withdrawn, or when it expired, in RFC 3339; null while it is pending or
   * approved.
   */
  readonly endedAt: string | null;
  /** When the request expires unless the company answers, in RFC 3339; null unless the request is pending. */
  readonly answerBy: string | null;
  /** RFC 3339. */
  readonly createdAt: string;
}

/** A page of your access requests. */
export interface AccessRequestPage {
  readonly items: AccessRequest[];
  /** The `cursor` of the next page; null on the last one. */
  readonly nextCursor: string | null;
}

/** Who has made a change. */
export interface AccessRequestActor {
  readonly type: Actor['type'];
  /** Of the investor, the company key or the contact; null for the others. */
  readonly id: string | null;
  /** How a contact had signed in; absent for the others. */
  readonly signedInBy?: SignInWay;
}

/** One change of an access request. */
export interface AccessRequestEvent {
  readonly type: AccessEventType;
  /** RFC 3339. */
  readonly createdAt: string;
  /** Who did it. */
  readonly actor: AccessRequestActor;
  /** Why, in the words of whoever did it. */
  readonly reason: string | null;
  /** What was approved right after it. */
  readonly approvedScopes: GrantableScope[];
  /** The end of the grant right after it, in RFC 3339; null while there was none. */
  readonly expiresAt: string | null;
}

/** A signed receipt of one change of an access request, the same for both sides. */
export interface ConsentReceipt {
  /** Of the form `rcpt_…`. */
  readonly id: string;
  /** A JWS in its compact form, of the type `consent-receipt+jws`; it names the receipt before it. */
  readonly jws: string;
}

/** How far the receipts of an access request go. */
export interface ReceiptsHead {
  /** A JWS in its compact form, of the type `consent-receipts-head+jws`; null while there are more, and without a key. */
  readonly head: string | null;
}

/** What became of asking for access. */
export interface AccessRequested {
  /** `existing` when a live request covers what is asked. */
  readonly outcome: 'created' | 'existing';
  /** Whether this repeats what the same idempotency key was told before. */
  readonly replayed: boolean;
  readonly accessRequest: AccessRequest;
}

export const accessRequestProcedures = {
  /**
   * Asks a company for access, or finds that a live request covers what is asked. With an `idempotencyKey` it is carried
   * out once, however often it is sent within 24 hours.
   */
  create: procedure
    .input(shown(requestAccessInput))
    .mutation(async ({ ctx: { useCases, caller }, input }): Promise<AccessRequested> => {
      const { outcome, replayed, accessRequest } = await useCases.requestAccess(caller, input);
      return { outcome, replayed, accessRequest: presentAccessRequest(accessRequest) };
    }),

  /**
   * A page of your access requests, newest first, each with the status that it has now: 50, or as many as `limit` says,
   * at most 200. The next page comes with the `nextCursor` of this one as `cursor`.
   */
  list: procedure
    .input(shown(listAccessRequestsInput.optional()))
    .query(async ({ ctx: { useCases, caller }, input }): Promise<AccessRequestPage> => {
      const { items, nextCursor } = await useCases.listAccessRequests(caller, input);
      return { items: items.map(presentAccessRequest), nextCursor };
    }),

  /** One of your access requests, with the status that it has now. */
  get: procedure
    .input(shown(accessRequestInput))
    .query(
      async ({ ctx: { useCases, caller }, input }): Promise<AccessRequest> =>
        presentAccessRequest(await useCases.readAccessRequest(caller, input)),
    ),

  /**
   * Asks for more on one of your live access requests. A pending one grows; to a grant the scopes are added as
   * `pendingScopes` until the company has decided on them, and what is granted goes on.
   */
  amend: procedure
    .input(shown(amendAccessRequestInput))
    .mutation(
      async ({ ctx: { useCases, caller }, input }): Promise<AccessRequest> =>
        presentAccessRequest(await useCases.amendAccessRequest(caller, input)),
    ),

  /** Takes one of your pending access requests back, or gives its grant up. It can be repeated without harm. */
  withdraw: procedure
    .input(shown(withdrawAccessRequestInput))
    .mutation(
      async ({ ctx: { useCases, caller }, input }): Promise<AccessRequest> =>
        presentAccessRequest(await useCases.withdrawAccessRequest(caller, input)),
    ),

  /** Everything that happened to one of your access requests, oldest first; of more than 100 changes the newest. */
  history: procedure
    .input(shown(accessRequestInput))
    .query(
      async ({ ctx: { useCases, caller }, input }): Promise<AccessRequestEvent[]> =>
        (await useCases.readAccessRequestHistory(caller, input)).map(presentAccessEvent),
    ),

  /**
   * The receipts of one of your access requests, oldest first, up to the first that is not signed yet, whose change has no
   * receipt in `history`: at most 200. Further ones come with the id of the last as `cursor`.
   */
  receipts: procedure
    .input(shown(receiptsInput))
    .query(async ({ ctx: { useCases, caller }, input }): Promise<ConsentReceipt[]> => {
      const { items } = await useCases.readReceipts(caller, input, { head: false });
      return items.map(presentReceipt);
    }),

  /**
   * How many receipts there are, the id of the last one, and as of when, as a JWS of the type `consent-receipts-head+jws`.
   * Ask for it beside `receipts` with the same input.
   */
  receiptsHead: procedure.input(shown(receiptsInput)).query(
    async ({ ctx: { useCases, caller }, input }): Promise<ReceiptsHead> => ({
      head: await useCases.readReceiptsHead(caller, input),
    }),
  ),
};
