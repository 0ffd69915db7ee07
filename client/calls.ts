import type {
  AnyTRPCProcedure,
  inferProcedureInput,
  inferProcedureOutput,
  inferRouterInputs,
  inferRouterOutputs,
} from '@trpc/server';
import type { AccessRequest, AppRouter } from '../trpc-adapter/index.ts';

// What tRPC's own client offers, written so that an editor shows plain objects, and without types of the DOM, which a
// service on Node does not have.

/** What the procedures take. */
export type RouterInputs = inferRouterInputs<AppRouter>;
/** What the procedures return, as it arrives: instants and exact amounts are strings. */
export type RouterOutputs = inferRouterOutputs<AppRouter>;

export interface CallOptions {
  /** Gives the call up at once. A request that other calls share goes on for them. */
  readonly signal?: AbortSignal;
}

/** What comes of a subscription. It goes on after a loss of the connection, without missing or repeating an event. */
export interface SubscriptionOptions<Event> {
  /** Called for each event, in their order. */
  readonly onData: (event: Event) => void;
  /** Called whenever a connection stands, the first time and after each loss. */
  readonly onStarted?: () => void;
  /** Called when the service refuses to go on, as for a key that was revoked. Nothing comes after that. */
  readonly onError?: (error: Error) => void;
}

export interface WaitOptions {
  /** Ends the waiting at once; the promise is rejected with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which the promise is rejected with a `TimeoutError`; for ever when nothing is said. */
  readonly timeout?: number | undefined;
}

/** That a call is made again, or that a lost subscription comes again, after a time. */
export interface Retry {
  /** Of what is made again, as in `metrics.latest`. */
  readonly path: string;
  /** Counted from 1: of a call, or since a subscription was connected last. */
  readonly attempt: number;
  /** Milliseconds until then. */
  readonly delay: number;
  /** What the last attempt failed with. */
  readonly reason: Error;
}

export interface Subscription {
  /** Ends it at once. */
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

/** What arrives of it, as JSON. */
type Received<T> = T extends { toJSON(): infer Presented } ? Shown<Presented> : Shown<T>;

/** The same type, which an editor shows with its fields instead of its name. */
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

/** The calls of the service alone. */
export interface PortfolioAccessCalls extends CallsOf<AppRouter['_def']['record']> {}

/** What the service offers. Calls of the same moment share a request. */
export interface PortfolioAccessClient extends PortfolioAccessCalls {
  /**
   * Resolves when the company has decided on an access request, or on what was asked in addition to a grant: to the
   * request as it stands then, which may be approved, declined, or over.
   *
   * @param request the request or its id
   */
  wait(request: string | Pick<AccessRequest, 'id'>, options?: WaitOptions): Promise<AccessRequest>;
}
