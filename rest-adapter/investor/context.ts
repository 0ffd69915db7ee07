import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { Encode, InvestorCaller } from '#core';
import {
  acceptedEncoding,
  type DataCache,
  type EncodedBody,
  investorCallerOf,
  writeBody,
  writeCsv,
} from '#http';
import type { Endpoint } from '../endpoint.ts';

export interface InvestorContext {
  readonly caller: InvestorCaller;
  /**
   * Makes a body of company data: JSON of what is presented, or lines of CSV, where there are any and the caller would
   * rather have them; who accepts neither gets JSON. What is written must come from the data and the path alone.
   */
  write<Data>(
    present: (data: Data) => object,
    lines?: (data: Data) => Iterable<string>,
  ): Encode<Data, EncodedBody>;
}

const mediaTypes = ['application/json', 'text/csv', 'text/csv; charset=utf-8'];

export type InvestorEndpoint = Endpoint<InvestorContext>;

export function createContext(request: FastifyRequest, cache: DataCache): InvestorContext {
  const caller = investorCallerOf(request);
  const prefersCsv = () =>
    new Negotiator(request).mediaType(mediaTypes)?.startsWith('text/csv') === true;
  return {
    caller,
    write(present, lines) {
      const form = { accepted: acceptedEncoding(request), key: caller.credentialId };
      return lines !== undefined && prefersCsv()
        ? writeCsv(cache, { ...form, name: 'csv' }, lines)
        : writeBody(cache, { ...form, name: 'rest' }, present);
    },
  };
}
