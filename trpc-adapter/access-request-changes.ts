import { type TRPCSubscriptionProcedure, tracked } from '@trpc/server';
import { z } from 'zod';
import { type AccessEventType, issueReceipt, type RequestFeedEvent, readEventsInput } from '#core';
import { presentAccessRequest, presentActor } from '#http';
import type { AccessRequest, AccessRequestActor, ConsentReceipt } from './access-requests.ts';
import type { ErrorShape } from './errors.ts';
import { procedure, shown } from './procedures.ts';

/** Something that has happened to one of your access requests. */
export interface AccessRequestChange {
  /** Id of the event. */
  readonly id: string;
  readonly type: AccessEventType;
  /** RFC 3339. */
  readonly createdAt: string;
  /** The request as it was right after the change. */
  readonly accessRequest: AccessRequest;
  /** Who did it. */
  readonly actor: AccessRequestActor;
  /** Why, in the words of whoever did it. */
  readonly reason: string | null;
  /** The receipt of the change; null while it is not signed. */
  readonly receipt: ConsentReceipt | null;
}

export interface ChangesInput {
  /** Id of the last event that you have: what came after it is sent first. Clients set it when they come again. */
  readonly lastEventId?: string | null | undefined;
}

export const changesInput = z.strictObject({ lastEventId: readEventsInput.shape.after }).optional();

function presentChange(event: RequestFeedEvent): AccessRequestChange {
  const { id, type, createdAt, accessRequest, actor, reason } = event;
  return {
    id,
    type,
    createdAt: createdAt.toISOString(),
    accessRequest: presentAccessRequest(accessRequest),
    actor: presentActor(actor),
    reason,
    receipt: issueReceipt(event, event.receipt),
  };
}

/** Written out, because the inferred type names what tRPC keeps for itself. */
type Subscriptions = {
  /**
   * What happens to your access requests, as it happens: each event once, in one order. It begins now, or after the event
   * `lastEventId`, which can be up to 90 days old.
   */
  readonly onChange: TRPCSubscriptionProcedure<{
    input: ChangesInput | undefined;
    output: AsyncIterable<{ id: string; data: AccessRequestChange }, void, unknown>;
    meta: object;
    errorShape: ErrorShape;
  }>;
};

export const accessRequestSubscriptions: Subscriptions = {
  onChange: procedure
    .input(shown<ChangesInput | undefined>(changesInput))
    .subscription(async ({ ctx: { useCases, caller, startEvents }, input, signal }) => {
      const { lastEventId, ...others } = input ?? {};
      const asked = { after: lastEventId, ...others };
      // Its signal ends the events when the client leaves; a generator alone would wait for the next one.
      const { after, events } = await useCases.watchAccessRequests(caller, asked, signal);
      startEvents(after);
      return track(events);
    }),
};

async function* track(events: AsyncIterable<RequestFeedEvent>) {
  for await (const event of events) yield tracked(event.id, presentChange(event));
}
