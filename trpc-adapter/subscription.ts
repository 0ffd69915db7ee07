import { type TRPCSubscriptionProcedure, tracked } from '@trpc/server';
import { z } from 'zod';
import { type Events, type FeedEvent, type InvestorUseCases, readEventsInput } from '#core';
import type { ErrorShape } from './errors.ts';
import { procedure, showInput } from './procedures.ts';

export interface ChangesInput {
  /**
   * ID of the last event that you received. The service first sends the events after it. Clients set it when they
   * reconnect.
   */
  readonly lastEventId?: string | null | undefined;
}

const changesInput = z.strictObject({ lastEventId: readEventsInput.shape.after }).optional();

/**
 * The first message of each connection, before any change. It has an ID, so clients can resume even if the connection
 * breaks before the first change.
 */
export interface StreamStart {
  /** ID of the event before the first change. */
  readonly id: string;
  readonly type: 'stream.started';
}

/** Declares the type explicitly, because the inferred type contains tRPC's internal types. */
export type ChangesProcedure<Change> = TRPCSubscriptionProcedure<{
  input: ChangesInput | undefined;
  output: AsyncIterable<{ id: string; data: Change | StreamStart }, void, unknown>;
  meta: object;
  errorShape: ErrorShape;
}>;

type Watch<Event extends FeedEvent> = (
  ...args: Parameters<InvestorUseCases['watchAccessRequests']>
) => Promise<Events<Event>>;

export const subscription = <Event extends FeedEvent, Change>(
  watchOf: (useCases: InvestorUseCases) => Watch<Event>,
  present: (event: Event) => Change,
): ChangesProcedure<Change> =>
  procedure
    .input(showInput<ChangesInput | undefined>(changesInput))
    .subscription(async ({ ctx: { useCases, caller, startEvents }, input, signal }) => {
      const { lastEventId, ...others } = input ?? {};
      const options = { after: lastEventId, ...others };
      // The events are opened outside the generator, so that the signal ends them as soon as the client leaves. A
      // generator alone would end only after the next event.
      const { after, events } = await watchOf(useCases)(caller, options, signal);
      startEvents(after);
      return (async function* () {
        yield tracked(after, { id: after, type: 'stream.started' } satisfies StreamStart);
        for await (const event of events) yield tracked(event.id, present(event));
      })();
    });
