import type {
  AnyTRPCProcedure,
  inferProcedureInput,
  inferProcedureOutput,
  inferRouterInputs,
  inferRouterOutputs,
} from '@trpc/server';
import type { AccessRequest, AppRouter } from '../trpc-adapter/index.ts';

// These types replace the types of tRPC's own client. With them, editors show plain objects. They also need no DOM
// types, which Node lacks.

export type RouterInputs = inferRouterInputs<AppRouter>;
/** The outputs of the procedures, as the client receives them: times and exact amounts are strings. */
export type RouterOutputs = inferRouterOutputs<AppRouter>;

export interface CallOptions {
  /** Aborts the call at once. Other calls that share the request continue. */
  readonly signal?: AbortSignal;
}

/**
 * Callbacks of a subscription. The subscription reconnects after a lost connection and returns each event exactly once.
 */
export interface SubscriptionOptions<Event> {
  /** Called for each event, in order. */
  readonly onData: (event: Event) => void;
  /** Called after each successful connection. */
  readonly onStarted?: () => void;
  /**
   * Called when the service ends the subscription, for example because the key was revoked. No other callback follows.
   */
  readonly onError?: (error: Error) => void;
}

export interface WaitOptions {
  /** Stops waiting at once. The promise rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which the promise rejects with a `TimeoutError`. Waits forever by default. */
  readonly timeout?: number | undefined;
}

/** Announces that a call will be repeated, or that a subscription will reconnect. */
export interface Retry {
  /** The procedure, for example `metrics.latest`. */
  readonly path: string;
  /** The number of the attempt, starting at 1. For a subscription, starts again after each successful connection. */
  readonly attempt: number;
  /** Milliseconds until the next attempt. */
  readonly delay: number;
  /** The error of the last attempt. */
  readonly reason: Error;
}

export interface Subscription {
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

type Received<T> = T extends { toJSON(): infer Presented } ? Shown<Presented> : Shown<T>;

/** Lets editors show the fields of a type instead of its name. */
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

export interface PortfolioAccessCalls extends CallsOf<AppRouter['_def']['record']> {}

/** The client. Calls made at the same time share a request. */
export interface PortfolioAccessClient extends PortfolioAccessCalls {
  /**
   * Waits until the company has decided on the access request, or on an addition to its grant. Resolves with the access
   * request, which may then be approved, declined, revoked or expired.
   *
   * @param request the access request or its ID
   */
  wait(request: string | Pick<AccessRequest, 'id'>, options?: WaitOptions): Promise<AccessRequest>;
}
