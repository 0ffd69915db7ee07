import type {
  AnyTRPCProcedure,
  inferProcedureInput,
  inferProcedureOutput,
  inferRouterInputs,
  inferRouterOutputs,
} from '@trpc/server';
import type { AccessRequest, AppRouter } from '../trpc-adapter/index.ts';

// The types of tRPC's own client, written so that editors show plain objects, and without DOM types, which Node lacks.

/** The inputs of the procedures. */
export type RouterInputs = inferRouterInputs<AppRouter>;
/** The outputs of the procedures, as received: times and exact amounts are strings. */
export type RouterOutputs = inferRouterOutputs<AppRouter>;

export interface CallOptions {
  /** Aborts the call at once. A request that it shares with other calls continues for them. */
  readonly signal?: AbortSignal;
}

/** Callbacks of a subscription. It reconnects after a lost connection without missing or repeating an event. */
export interface SubscriptionOptions<Event> {
  /** Called for each event, in order. */
  readonly onData: (event: Event) => void;
  /** Called after each successful connection. */
  readonly onStarted?: () => void;
  /** Called when the service ends the subscription, for example for a revoked key. Nothing follows. */
  readonly onError?: (error: Error) => void;
}

export interface WaitOptions {
  /** Ends the wait at once: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which the promise rejects with a `TimeoutError`. Waits forever by default. */
  readonly timeout?: number | undefined;
}

/** The announcement that a call will be repeated, or a lost subscription reconnected. */
export interface Retry {
  /** The procedure, for example `metrics.latest`. */
  readonly path: string;
  /** Counts from 1: the attempts of a call, or those since a subscription was last connected. */
  readonly attempt: number;
  /** Milliseconds until the next attempt. */
  readonly delay: number;
  /** The error of the last attempt. */
  readonly reason: Error;
}

export interface Subscription {
  /** Ends the subscription at once. */
  unsubscribe(): void;
}

type Arguments<Input> = undefined extends Input
  ? [input?: Exclude<Input, void>, options?: CallOptions]
  : [input: Input, options?: CallOptions];

type Method<Type, Input, Output> = Type extends 'query'
  ? { query(...args: Arguments<Input>): Promise<Output> }
  : Type extends 'subscription'
    ? { subscribe(input: Input, options: SubscriptionOptions<EventOf<Output>>): Subscription }
    : { mutate(...args: Arguments<Input>): Promise<Output> };

type EventOf<Output> = Output extends AsyncIterable<infer Event> ? Event : never;

/** The type of the received JSON. */
type Received<T> = T extends { toJSON(): infer Presented } ? Shown<Presented> : Shown<T>;

/** The same type, which editors show with its fields instead of its name. */
type Shown<T> = T extends (infer Item)[]
  ? Shown<Item>[]
  : T extends object
    ? { [Key in keyof T]: T[Key] }
    : T;

type MethodOf<Procedure extends AnyTRPCProcedure> = Method<
  Procedure['_def']['type'],
  inferProcedureInput<Procedure>,
  Procedure['_def']['type'] extends 'subscription'
    ? inferProcedureOutput<Procedure>
    : Received<inferProcedureOutput<Procedure>>
>;

type CallsOf<Routers> = {
  readonly [Router in keyof Routers]: {
    readonly [Name in keyof Routers[Router]]: Routers[Router][Name] extends AnyTRPCProcedure
      ? MethodOf<Routers[Router][Name]>
      : never;
  };
};

/** The procedures of the service. */
export interface PortfolioAccessCalls extends CallsOf<AppRouter['_def']['record']> {}

/** The client. Calls made at the same time share a request. */
export interface PortfolioAccessClient extends PortfolioAccessCalls {
  /**
   * Resolves with the access request when the company has decided on it, or on an addition to its grant. It may then be
   * approved, declined or ended.
   *
   * @param request the request or its ID
   */
  wait(request: string | Pick<AccessRequest, 'id'>, options?: WaitOptions): Promise<AccessRequest>;
}
