import type { FastifyRequest } from 'fastify';

/** Returns the protocol of a request for metrics and traces. The company API and the desk have their own names. */
export function protocolOf({ routeOptions }: FastifyRequest) {
  const { principal, protocol = 'other' } = routeOptions.config;
  if (principal === 'company') return 'company';
  return principal === 'contact' ? 'desk' : protocol;
}
