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
    /** Set by the gateway once it has admitted the caller; null on what is open to everyone. */
    caller: Caller | null;
    /** The caller's budget as it stands. */
    rateLimit: RateLimitState;
    /** Lets the next waiting request of the same caller begin; null when there is nothing to give back. */
    releasePermits: (() => void) | null;
  }
  /** What a route tells the gateway. */
  interface FastifyContextConfig {
    /** Open to everyone: no credential is looked at and nothing is counted. */
    open?: boolean | ((request: FastifyRequest) => boolean);
    /** A health check: it must not wait behind the requests of users. */
    isProbe?: boolean;
    /** How many of a caller's permits a request takes while it runs; its points if nothing is said. */
    weight?: (request: FastifyRequest) => number;
    /** REST if nothing is said. */
    protocol?: Protocol;
    /** What a request costs when it is not one call. */
    points?: (request: FastifyRequest) => number;
    /** The parameter of the path that names the company whose data a request reads. */
    companyParameter?: string | undefined;
    /** Whose keys are admitted, or the sessions of contacts; the keys of investors if nothing is said. */
    principal?: 'investor' | 'company' | 'contact';
    /** Whether an empty body of JSON is none at all, instead of malformed. */
    mayLackBody?: boolean;
    /** Whether the body holds records of company data, with amounts whose every digit counts. */
    takesRecords?: boolean;
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
 * The person with a session who acts for a company or an investor.
 *
 * @throws ProtocolError `missing_api_key`, also when the person has to choose for whom first
 */
export function contactCallerOf({ caller }: FastifyRequest): ContactCaller | InvestorContactCaller {
  if (caller?.kind === 'contact' || caller?.kind === 'investor_contact') return caller;
  throw new ProtocolError('missing_api_key');
}

/**
 * The person with a session, who may act for somebody already or not.
 *
 * @throws ProtocolError `missing_api_key`
 */
export function signedInOf({ caller }: FastifyRequest): SignedInCaller {
  if (caller !== null && isPerson(caller)) return caller;
  throw new ProtocolError('missing_api_key');
}

/** For whom a caller acts; for nobody, before a person has chosen. */
export function actsFor({ caller }: Pick<FastifyRequest, 'caller'>): {
  readonly investorId?: string;
  readonly companyId?: string;
} {
  if (caller === null || caller.kind === 'signed_in') return {};
  return isInvestorCaller(caller)
    ? { investorId: caller.investorId }
    : { companyId: caller.companyId };
}

/** Who has one address of IPv6 has all of its network: these parts are the same in all of them. */
const networkParts = 4;

/** Where a request comes from, for counting: its address, with IPv6 the network of it. */
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
