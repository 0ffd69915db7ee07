import type { FastifyRequest } from 'fastify';

/** Returns the protocol of a request for metrics and traces, where each side of a company has its own name. */
export function protocolOf({ routeOptions }: FastifyRequest) {
  const { principal, protocol = 'other' } = routeOptions.config;
  if (principal === 'company') return 'company';
  return principal === 'contact' ? 'desk' : protocol;
}
