import type { FastifyRequest } from 'fastify';
import type { DataCache } from '#http';
import type { Endpoint } from './endpoint.ts';
import type { DescribedWebhooks } from './openapi/webhooks.ts';

export interface ApiOptions<UseCases> {
  readonly useCases: UseCases;
  readonly cache: DataCache;
  /** Charges rate limit points in addition to the one point that each HTTP request costs. */
  readonly charge: (request: FastifyRequest, points: number) => Promise<void>;
}

export interface Api<Context> {
  readonly prefix: string;
  readonly title: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly credential: { readonly name: string; readonly description: string };
  readonly endpoints: readonly Endpoint<Context>[];
  readonly webhooks: DescribedWebhooks;
  createContext(request: FastifyRequest): Context;
}
