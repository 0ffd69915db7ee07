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
    /** Set by the gateway after admission. Null on public routes. */
    caller: Caller | null;
    /** The state of the caller's budget. */
    rateLimit: RateLimitState;
    /** Releases the caller's permits for the next waiting request. Null without permits. */
    releasePermits: (() => void) | null;
  }
  /** The settings of a route for the gateway. */
  interface FastifyContextConfig {
    /** True for public routes: no credential is checked and nothing is counted. */
    open?: boolean | ((request: FastifyRequest) => boolean);
    /** True for health checks, which don't wait behind requests of users. */
    isProbe?: boolean;
    /** The number of the caller's permits that a request takes. By default its points. */
    weight?: (request: FastifyRequest) => number;
    /** REST by default. */
    protocol?: Protocol;
    /** The cost of a request in points. By default one call. */
    points?: (request: FastifyRequest) => number;
    /** The path parameter with the company whose data is read. */
    companyParameter?: string | undefined;
    /** The kind of caller that is admitted. By default investor keys. */
    principal?: 'investor' | 'company' | 'contact';
    /** True if an empty JSON body is allowed. */
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

/**
 * Returns the signed-in person who acts for a company or an investor.
 *
 * @throws ProtocolError `missing_api_key`, also if the person must choose an organisation first
 */
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

/** Returns the owner for which a caller acts. Empty before a person has chosen. */
export function actsFor({ caller }: Pick<FastifyRequest, 'caller'>): {
  readonly investorId?: string;
  readonly companyId?: string;
} {
  if (caller === null || caller.kind === 'signed_in') return {};
  return isInvestorCaller(caller)
    ? { investorId: caller.investorId }
    : { companyId: caller.companyId };
}

/** The owner of one IPv6 address has its whole network, which has these parts in common. */
const networkParts = 4;

/** Returns the network address for counting: the IPv4 address, or the IPv6 network. */
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
