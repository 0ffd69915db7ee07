import type { FastifyRequest } from 'fastify';
import type { Endpoint } from './endpoint.ts';
import type { DescribedWebhooks } from './openapi/webhooks.ts';

/** Charges for more than the one point that every request costs. */
export type Charge = (request: FastifyRequest, points: number) => Promise<void>;

/** What one side can do over REST, and how its document presents it. */
export interface Api<Context> {
  /** At which it is registered. */
  readonly prefix: string;
  readonly title: string;
  readonly summary: string;
  readonly description: string;
  /** The groups of the endpoints, with a text for each. */
  readonly tags: Readonly<Record<string, string>>;
  /** The credential that every endpoint takes. */
  readonly credential: { readonly name: string; readonly description: string };
  readonly endpoints: readonly Endpoint<Context>[];
  readonly webhooks: DescribedWebhooks;
  createContext(request: FastifyRequest): Context;
}
