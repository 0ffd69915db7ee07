import type {
  AnyTRPCProcedure,
  inferProcedureInput,
  inferTRPCClientTypes,
  inferTransformedProcedureOutput,
} from '@trpc/server';
import type { AppRouter } from './router.ts';

// What tRPC's own client offers, written so that an editor shows plain objects, and without types of the DOM, which a
// service on Node does not have.

export interface CallOptions {
  /** Gives the call up at once. A request that other calls share goes on for them. */
  readonly signal?: AbortSignal;
}

type Arguments<Input> = undefined extends Input
  ? [input?: Exclude<Input, void>, options?: CallOptions]
  : [input: Input, options?: CallOptions];

type Method<Type, Input, Output> = Type extends 'query'
  ? { query(...args: Arguments<Input>): Promise<Output> }
  : { mutate(...args: Arguments<Input>): Promise<Output> };

type MethodOf<Procedure extends AnyTRPCProcedure> = Method<
  Procedure['_def']['type'],
  inferProcedureInput<Procedure>,
  inferTransformedProcedureOutput<inferTRPCClientTypes<AppRouter>, Procedure>
>;

type CallsOf<Routers> = {
  readonly [Router in keyof Routers]: {
    readonly [Name in keyof Routers[Router]]: Routers[Router][Name] extends AnyTRPCProcedure
      ? MethodOf<Routers[Router][Name]>
      : never;
  };
};

/** What the service offers. Calls of the same moment share a request. */
export interface PortfolioAccessClient extends CallsOf<AppRouter['_def']['record']> {}
