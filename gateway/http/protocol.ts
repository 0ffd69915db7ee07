import type { FastifyRequest } from 'fastify';

/** The protocol of a request, for operators: those of investors, the two sides of companies, and the rest. */
const protocols = ['rest', 'graphql', 'trpc', 'mcp', 'company', 'desk', 'other'] as const;

type RequestProtocol = (typeof protocols)[number];

export function protocolOf({ routeOptions }: FastifyRequest): RequestProtocol {
  const { principal, protocol = 'other' } = routeOptions.config;
  if (principal === 'company') return 'company';
  return principal === 'contact' ? 'desk' : protocol;
}
