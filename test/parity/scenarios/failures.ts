import { TRPCError } from '@trpc/server';
import { expect } from 'vitest';
import { AccessError, type InvestorUseCases } from '#core';
import { unavailableAdmission } from '../../support/call.ts';
import type { RefusalCode } from '../../support/contract.ts';
import { withoutIds } from '../../support/without-ids.ts';
import { calls } from '../calls.ts';
import type { Oddity } from '../drivers/driver.ts';
import { dataOf, expectRefused } from '../outcomes.ts';
import type { Scenario, Topic } from '../scenario.ts';

/** For some lists, GraphQL reads pages, but REST reads the whole list. */
const useCasesOf: Readonly<Record<string, readonly (keyof InvestorUseCases)[]>> = {
  'the latest metrics': ['readLatestMetrics'],
  'one metric': ['readLatestMetric'],
  'the history of a metric': ['readMetricHistory'],
  'the sources': ['readSources'],
  'the accounts': ['readAccounts'],
  'the companies': ['listPortfolio', 'pagePortfolio'],
  'the access requests': ['listAccessRequests', 'pageAccessRequests', 'walkAccessRequests'],
  'a request for access': ['requestAccess'],
};

const unforeseen: readonly (readonly [string, unknown])[] = [
  ['an error', new Error('password authentication failed for user "secret"')],
  ['an error with a status', Object.assign(new Error('secret'), { statusCode: 418 })],
  ['an error of the database', Object.assign(new Error('secret'), { code: '23505' })],
  ['an error with expose: true', Object.assign(new Error('secret'), { expose: true })],
  ['an error of tRPC', new TRPCError({ code: 'BAD_REQUEST', message: 'secret' })],
  ['an error of the framework', Object.assign(new Error('secret'), { code: 'FST_ERR_VALIDATION' })],
  ['an abort', Object.assign(new Error('secret'), { name: 'AbortError' })],
  ['several errors', new AggregateError([new Error('secret')], 'secret')],
  [
    'an error with extensions',
    Object.assign(new Error('secret'), { extensions: { code: 'secret', http: { status: 418 } } }),
  ],
  ['an error with a cause', new Error('secret', { cause: new AccessError('access_pending') })],
  ['a text', 'secret'],
  ['an object', { secret: true, code: 'access_pending', message: 'secret' }],
  ['null', null],
  ['undefined', undefined],
];

const codeOf: Readonly<Record<Oddity, RefusalCode>> = {
  'a body that is not JSON': 'malformed_json',
  'a body that is too large': 'payload_too_large',
  'a body of another media type': 'unsupported_media_type',
  'a path that leads nowhere': 'route_not_found',
  'a method that is not served': 'method_not_allowed',
};

const oddities = Object.entries(codeOf) as (readonly [Oddity, RefusalCode])[];

export const failures: Topic = {
  title: 'failures',
  scenarios: [
    {
      name: 'every call returns service_unavailable during an outage of the database',
      async run({ driver, fixtures, standIns }) {
        const { key, company } = await fixtures.readablePortfolio();
        const error = new AccessError('service_unavailable', { cause: 'secret' });
        for (const { name, ask } of calls) {
          for (const useCase of useCasesOf[name] ?? []) standIns.break(useCase, error);
          const { wire } = expectRefused(await ask(driver, key, company.id), 'service_unavailable');
          expect(wire.text).not.toContain('secret');
        }
      },
    },
    {
      name: 'every call returns service_unavailable if the key can’t be looked up',
      async run({ driver, fixtures, standIns }) {
        const { key, company } = await fixtures.readablePortfolio();
        standIns.replace('admitCaller', () => unavailableAdmission);
        for (const { ask } of calls) {
          const { wire } = expectRefused(await ask(driver, key, company.id), 'service_unavailable');
          expect(wire.status).toBe(503);
          expect(wire.headers['retry-after']).toBe('5');
          expect(wire.headers['ratelimit-remaining']).toBe('593');
        }
      },
    },
    {
      name: 'every call returns internal_error if the look-up of the key fails unexpectedly',
      async run({ driver, fixtures, standIns }) {
        const { key, company } = await fixtures.readablePortfolio();
        standIns.break('admitCaller', new Error('secret'));
        for (const { ask } of calls) {
          const { wire } = expectRefused(await ask(driver, key, company.id), 'internal_error');
          expect(wire.status).toBe(500);
          expect(wire.text).not.toContain('secret');
        }
      },
    },
    ...unforeseen.map(
      ([name, error]): Scenario => ({
        name: `every call returns internal_error without details if a use case throws ${name}`,
        async run({ driver, fixtures, standIns }) {
          const { key, company } = await fixtures.readablePortfolio();
          for (const call of calls) {
            for (const useCase of useCasesOf[call.name] ?? []) standIns.break(useCase, error);
            const outcome = await call.ask(driver, key, company.id);
            const { wire, message } = expectRefused(outcome, 'internal_error');
            expect(message).toBe('An unexpected error occurred on our side.');
            expect(withoutIds(wire.text + JSON.stringify(wire.headers))).not.toMatch(
              /secret|password|23505|stack|node_modules|\.ts/,
            );
          }
        },
      }),
    ),
    ...oddities.map(
      ([oddity, code]): Scenario => ({
        name: `${oddity} returns ${code}, after the checks of the credential and the rate limit`,
        async run({ driver, fixtures }) {
          const { key } = await fixtures.portfolio();
          expectRefused(await driver.send(key, oddity), code);
          expectRefused(await driver.send(null, oddity), 'missing_api_key');
          const { key: spent } = await fixtures.portfolio({ rateLimit: 1 });
          dataOf(await driver.listCompanies(spent));
          expectRefused(await driver.send(spent, oddity), 'rate_limit_exceeded');
        },
      }),
    ),
  ],
};
