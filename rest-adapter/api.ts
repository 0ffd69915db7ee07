import type { FastifyRequest } from 'fastify';
import type { Endpoint } from './endpoint.ts';
import type { DescribedWebhooks } from './openapi/webhooks.ts';

/** Charges for more than the one point that every request costs. */
export type Charge = (request: FastifyRequest, points: number) => Promise<void>;

/** The REST API of one side, and its document. */
export interface Api<Context> {
  /** The path prefix. */
  readonly prefix: string;
  readonly title: string;
  readonly summary: string;
  readonly description: string;
  /** The groups of endpoints, with a description for each. */
  readonly tags: Readonly<Record<string, string>>;
  /** The credential of all endpoints. */
  readonly credential: { readonly name: string; readonly description: string };
  readonly endpoints: readonly Endpoint<Context>[];
  readonly webhooks: DescribedWebhooks;
  createContext(request: FastifyRequest): Context;
}
