import { type AnyTRPCProcedure, callTRPCProcedure } from '@trpc/server';
import type { FastifyRequest } from 'fastify';
import type { CallerUseCases } from '#core';
import { ProtocolError } from '#http';
import { type Answer, answer, refuse } from './answers.ts';
import type { Calls } from './calls.ts';
import { createContext } from './context.ts';
import { readInputs } from './inputs.ts';
import { appRouter } from './router.ts';

// At run time they stand by their whole names, on no prototype.
const procedures = appRouter._def.procedures as unknown as Readonly<
  Record<string, AnyTRPCProcedure | undefined>
>;

const methodsOf = {
  query: ['GET', 'HEAD', 'POST'],
  mutation: ['POST'],
  subscription: [],
} as const satisfies Record<AnyTRPCProcedure['_def']['type'], readonly string[]>;

export interface Runner {
  /** Runs all calls of a request at once; one that is refused leaves the others alone. */
  run(calls: Calls, request: FastifyRequest): Promise<Answer[]>;
  /** The methods by which all these calls can be made. */
  methodsOf(calls: Calls): readonly string[];
}

/**
 * tRPC's own handler of HTTP would do as well, but it makes a Request and a Response of every call, which takes about as
 * long as all the rest of it.
 */
export function createRunner(useCases: CallerUseCases, publicUrl: () => string): Runner {
  return {
    methodsOf: ({ names }) =>
      names.some((name) => procedures[name]?._def.type === 'mutation')
        ? methodsOf.mutation
        : methodsOf.query,

    async run({ names, isBatch }, request) {
      const url = publicUrl();
      const ctx = createContext(request, useCases, url);
      const inputOf = readInputs(request, isBatch);

      async function call(name: string, batchIndex: number): Promise<Answer> {
        try {
          const procedure = procedures[name];
          if (procedure === undefined) throw new ProtocolError('route_not_found');
          const { type } = procedure._def;
          const methods: readonly string[] = methodsOf[type];
          if (!methods.includes(request.method)) {
            throw new ProtocolError('method_not_allowed', { allow: methods });
          }
          const getRawInput = async () => inputOf(batchIndex);
          const options = { path: name, type, ctx, getRawInput, batchIndex, signal: undefined };
          return answer((await callTRPCProcedure({ router: appRouter, ...options })) as object);
        } catch (error) {
          return refuse(error, request.id, url);
        }
      }
      return Promise.all(names.map(call));
    },
  };
}
