import type {
  AnyTRPCProcedure,
  inferProcedureInput,
  inferProcedureOutput,
  inferRouterInputs,
  inferRouterOutputs,
} from '@trpc/server';
import type { AccessRequest, AppRouter } from '../trpc-adapter/index.ts';

// These types replace the types of tRPC's own client. They show plain objects in editors, and work in Node, which lacks
// the DOM types that tRPC's types need.

export type RouterInputs = inferRouterInputs<AppRouter>;
/** The outputs of the procedures, as the client receives them. Times and exact amounts are strings. */
export type RouterOutputs = inferRouterOutputs<AppRouter>;

export interface CallOptions {
  /** Aborts the call at once. Other calls that share its HTTP request continue. */
  readonly signal?: AbortSignal;
}

/**
 * Callbacks of a subscription. After a lost connection, the subscription reconnects. It returns each event exactly
 * once.
 */
export interface SubscriptionOptions<Event> {
  /** Called for each event, in order. */
  readonly onData: (event: Event) => void;
  /** Called each time the subscription has connected. */
  readonly onStarted?: () => void;
  /**
   * Called when the service ends the subscription, for example because the key was revoked. No other callback follows.
   */
  readonly onError?: (error: Error) => void;
}

export interface WaitOptions {
  /** Stops the wait at once. The promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The maximum wait in milliseconds. Afterwards, the promise rejects with a `TimeoutError`. By default, the wait has
   * no limit.
   */
  readonly timeout?: number | undefined;
}

/** Describes the next attempt of a call or of a subscription. */
export interface Retry {
  /** The procedure, for example `metrics.latest`. */
  readonly path: string;
  /** The number of the attempt, starting at 1. A subscription counts from 1 again after each successful connection. */
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

/** Shows the fields of a type in editors, instead of the type's name. */
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

/** The client. Calls made at the same time share an HTTP request. */
export interface PortfolioAccessClient extends PortfolioAccessCalls {
  /**
   * Waits until the company has decided on the access request, or on additional scopes for its grant. Resolves with the
   * access request, which may then be approved, declined, revoked or expired.
   *
   * @param request the access request or its ID
   */
  wait(request: string | Pick<AccessRequest, 'id'>, options?: WaitOptions): Promise<AccessRequest>;
}
