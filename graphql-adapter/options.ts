import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallerUseCases } from '#core';
import type { GraphqlSettings } from './settings.ts';

/** What the adapter is made of. */
export interface GraphqlAdapterOptions {
  readonly useCases: CallerUseCases;
  /** Where the service can be reached from outside, without a trailing slash. */
  readonly publicUrl: () => string;
  /**
   * Charges for what is about to be done, and refreshes the headers that tell of the budget.
   *
   * @throws AccessError `rate_limit_exceeded`
   */
  readonly charge: (request: FastifyRequest, reply: FastifyReply, points: number) => Promise<void>;
  readonly settings: GraphqlSettings;
}
