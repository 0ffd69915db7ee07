import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import {
  type Caller,
  type CompanyCaller,
  type ContactCaller,
  type InvestorContactCaller,
  type InvestorKeyCaller,
  isInvestorCaller,
  isPerson,
  type Protocol,
  type RateLimitState,
  type SignedInCaller,
} from '#core';
import { ProtocolError } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on public routes, and until the caller is admitted. */
    caller: Caller | null;
    rateLimit: RateLimitState;
    /** Releases the caller's permits before the response is complete. Null if the HTTP request has no permits. */
    releasePermits: (() => void) | null;
  }
  interface FastifyContextConfig {
    /** True for public routes, which need no credential and have no rate limit. */
    isPublic?: boolean | ((request: FastifyRequest) => boolean);
    /** True for health checks, which never wait for other HTTP requests. */
    isHealthCheck?: boolean;
    /** Returns the number of permits that an HTTP request takes. By default, this equals the cost in points. */
    permits?: (request: FastifyRequest) => number;
    /** The default is REST. */
    protocol?: Protocol;
    /** Returns the cost of an HTTP request in points. By default, this is the cost of a single operation. */
    points?: (request: FastifyRequest) => number;
    /** The name of the path parameter that contains the ID of the company. */
    companyParameter?: string | undefined;
    /** The kind of caller that the route accepts. By default, the route accepts API keys of investors. */
    principal?: 'investor' | 'company' | 'contact';
    mayLackBody?: boolean;
    /** True if the body contains records, whose amounts must keep every digit. */
    acceptsRecords?: boolean;
  }
}

/** @throws ProtocolError `missing_api_key` */
export function investorCallerOf({ caller }: FastifyRequest): InvestorKeyCaller {
  if (caller?.kind !== 'investor') throw new ProtocolError('missing_api_key');
  return caller;
}

/** @throws ProtocolError `missing_api_key` */
export function companyCallerOf({ caller }: FastifyRequest): CompanyCaller {
  if (caller?.kind === 'company' || caller?.kind === 'contact') return caller;
  throw new ProtocolError('missing_api_key');
}

/** @throws ProtocolError `missing_api_key`, also if the person hasn't chosen an organisation yet */
export function contactCallerOf({ caller }: FastifyRequest): ContactCaller | InvestorContactCaller {
  if (caller?.kind === 'contact' || caller?.kind === 'investor_contact') return caller;
  throw new ProtocolError('missing_api_key');
}

/** @throws ProtocolError `missing_api_key` */
export function signedInOf({ caller }: FastifyRequest): SignedInCaller {
  if (caller !== null && isPerson(caller)) return caller;
  throw new ProtocolError('missing_api_key');
}

/** Returns the IDs of the caller's organisation. Returns an empty object if a person hasn't chosen one yet. */
export function organisationIdsOf({ caller }: Pick<FastifyRequest, 'caller'>): {
  readonly investorId?: string;
  readonly companyId?: string;
} {
  if (caller === null || caller.kind === 'signed_in') return {};
  return isInvestorCaller(caller)
    ? { investorId: caller.investorId }
    : { companyId: caller.companyId };
}

/** The number of 16-bit parts in a /64 network. A provider gives each customer one, so it counts as one client. */
const networkParts = 4;

/** Returns the IPv4 address or the IPv6 network by which HTTP requests are counted. */
export function clientNetworkOf({ ip }: Pick<FastifyRequest, 'ip'>): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address instanceof ipaddr.IPv6
    ? address.parts
        .slice(0, networkParts)
        .map((part) => part.toString(16))
        .join(':')
    : address.toString();
}
