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
    /** Null on public routes, and before admission. */
    caller: Caller | null;
    rateLimit: RateLimitState;
    /** Releases the caller's permits before the response ends. Null without permits. */
    releasePermits: (() => void) | null;
  }
  interface FastifyContextConfig {
    /** True for public routes, without a credential and a budget. */
    open?: boolean | ((request: FastifyRequest) => boolean);
    /** True for health checks, which never wait behind other requests. */
    isProbe?: boolean;
    /** The number of permits that a request takes. By default its points. */
    weight?: (request: FastifyRequest) => number;
    /** REST by default. */
    protocol?: Protocol;
    /** The cost of a request in points. By default one call. */
    points?: (request: FastifyRequest) => number;
    /** The name of the path parameter with the ID of the read company. */
    companyParameter?: string | undefined;
    /** The admitted kind of caller. By default investor keys. */
    principal?: 'investor' | 'company' | 'contact';
    mayLackBody?: boolean;
    /** True if the body has records, whose amounts keep every digit. */
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

/** @throws ProtocolError `missing_api_key`, also if the person must choose an organisation first */
export function contactCallerOf({ caller }: FastifyRequest): ContactCaller | InvestorContactCaller {
  if (caller?.kind === 'contact' || caller?.kind === 'investor_contact') return caller;
  throw new ProtocolError('missing_api_key');
}

/**
 * Returns the signed-in person, with or without a chosen organisation.
 *
 * @throws ProtocolError `missing_api_key`
 */
export function signedInOf({ caller }: FastifyRequest): SignedInCaller {
  if (caller !== null && isPerson(caller)) return caller;
  throw new ProtocolError('missing_api_key');
}

/** Returns the caller's organisation. Empty before a person has chosen one. */
export function actsFor({ caller }: Pick<FastifyRequest, 'caller'>): {
  readonly investorId?: string;
  readonly companyId?: string;
} {
  if (caller === null || caller.kind === 'signed_in') return {};
  return isInvestorCaller(caller)
    ? { investorId: caller.investorId }
    : { companyId: caller.companyId };
}

/** A customer gets a whole /64 network of IPv6, so its addresses count as one. */
const networkParts = 4;

/** Returns the IPv4 address or the IPv6 network, to count requests by. */
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
