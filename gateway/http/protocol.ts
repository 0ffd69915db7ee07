import type { FastifyRequest } from 'fastify';

/** By what a request came, for operators: the protocols of investors, the two sides of companies, and all else. */
const protocols = ['rest', 'graphql', 'trpc', 'mcp', 'company', 'desk', 'other'] as const;

type RequestProtocol = (typeof protocols)[number];

export function protocolOf({ routeOptions }: FastifyRequest): RequestProtocol {
  const { principal, protocol = 'other' } = routeOptions.config;
  if (principal === 'company') return 'company';
  return principal === 'contact' ? 'desk' : protocol;
}
