import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  AccessError,
  type AccessErrorCode,
  grantableScopes,
  type InvestorCaller,
  type InvestorUseCases,
  idempotencyKeyInput,
  maxMetricKeys,
  maxPurposeLength,
  parseInput,
  requestAccessInput,
  requestFilterInput,
  termsInput,
  unknownParameter,
} from '#core';
import { typeNameOf } from '../../../core/model/wrong-type.ts';
import {
  latestMetricsInput,
  metricHistoryInput,
} from '../../../core/use-cases/company-data/read-company-data.ts';
import { aNewcomer, expectRefusal } from '../world.ts';

const good = { companyId: 'co_harbor', scopes: ['metrics:read'] };

const refuse = (input: unknown, code: AccessErrorCode, schema: z.ZodType = requestAccessInput) =>
  expectRefusal(() => parseInput(schema, input), code);

describe('the input of an access request', () => {
  test.each([
    ['a company and a scope', {}],
    ['a purpose of 1,000 characters', { purpose: 'p'.repeat(1000) }],
    ['a null purpose', { purpose: null }],
    [
      'duplicate scopes, because the use case removes them later',
      { scopes: ['metrics:read', 'metrics:read'] },
    ],
    [
      'a malformed company id, because the use case later returns company_not_found',
      { companyId: '../x' },
    ],
  ])('is accepted with %s', (_what, input) => {
    expect(parseInput(requestAccessInput, { ...good, ...input })).toEqual({ ...good, ...input });
  });

  test('is accepted with unknown fields, which are ignored', () => {
    expect(parseInput(requestAccessInput, { ...good, admin: true })).toEqual(good);
  });

  const ungrantable =
    'can’t be granted. These scopes can be granted: metrics:read, accounts:read, sources:read.';
  test.each([
    ['missing_company_id', { companyId: '' }, 'The parameter companyId is missing.'],
    ['missing_scopes', { scopes: [] }, 'The parameter scopes is missing.'],
    ['invalid_scope', { scopes: ['metrics:read', 'companies:read'] }, `scopes[1] ${ungrantable}`],
    ['invalid_scope', { scopes: [''] }, `scopes[0] ${ungrantable}`],
  ] as const)('is refused with %s for %j', async (code, input, message) => {
    await expectRefusal(() => parseInput(requestAccessInput, { ...good, ...input }), code, message);
  });

  const hidden =
    'contains a control character, an invisible character, or one that changes the text direction';
  test.each([
    ['companyId', 'must be a string, not a number', { companyId: 7 }],
    ['companyId', 'must be a string, not null', { companyId: null }],
    ['scopes', 'must be an array, not a string', { scopes: 'metrics:read' }],
    ['scopes', 'must be an array, not null', { scopes: null }],
    ['scopes[1]', 'must be a string, not a number', { scopes: ['metrics:read', 7] }],
    ['scopes[0]', 'must be a string, not null', { scopes: [null] }],
    ['purpose', 'must be a string, not a number', { purpose: 7 }],
    ['purpose', "has a value that isn't allowed", { purpose: 'p'.repeat(1001) }],
    ['purpose', hidden, { purpose: 'a\u0000b' }],
    ['purpose', hidden, { purpose: 'half a pair: \ud800' }],
    ['idempotencyKey', hidden, { idempotencyKey: 'a\nb' }],
  ])('is refused with a message that %s %s: %o', async (parameter, reason, input) => {
    const { message } = await refuse({ ...good, ...input }, 'invalid_parameter');
    expect(message).toBe(`The parameter ${parameter} ${reason}.`);
  });

  test.each([[null], [undefined], [[]], ['text'], [7], [true]])(
    'is refused if it is %j instead of an object',
    async (input) => {
      const { message } = await refuse(input, 'invalid_parameter');
      expect(message).toBe('The input must be an object.');
    },
  );
});

describe('a value of the wrong type', () => {
  const schema = z.object({
    count: z.int(),
    when: z.union([z.date(), z.iso.datetime()]),
    deep: z.object({ on: z.boolean(), more: z.record(z.string(), z.number()) }),
  });
  const right = { count: 1, when: '2026-11-02T09:30:00Z', deep: { on: true, more: {} } };
  const instant = 'must be a date and time with a time zone, like 2026-11-02T09:30:00Z';
  test.each([
    ['count', 'is missing', { count: undefined }],
    ['count', 'must be an integer', { count: 1.5 }],
    ['count', 'must be a number, not a string', { count: '1' }],
    ['when', 'must be a string, not a number', { when: 7 }],
    ['when', instant, { when: 'later' }],
    ['deep', 'must be an object, not a boolean', { deep: true }],
    ['deep.on', 'must be a boolean, not an object', { deep: { ...right.deep, on: {} } }],
    ['deep.on', 'is missing', { deep: { more: {} } }],
    ['deep.more', 'must be an object, not null', { deep: { on: true, more: null } }],
  ])('is refused with the message that %s %s: %j', async (parameter, reason, input) => {
    const refusal = await refuse({ ...right, ...input }, 'invalid_parameter', schema);
    expect(refusal.message).toBe(`The parameter ${parameter} ${reason}.`);
    expect(refusal).toMatchObject({ parameter });
  });

  test('is called “a number” if it is an exact JSON number', () => {
    expect(typeNameOf(JSON.rawJSON('1.50'))).toBe('a number');
  });
});

describe('the status filter of a list', () => {
  test.each([
    ['', "has a value that isn't allowed"],
    ['PENDING', "has a value that isn't allowed"],
    [null, 'must be a string, not null'],
    [['pending'], 'must be a string, not an array'],
  ])('is refused if it is %j: it %s', async (status, reason) => {
    const { message } = await refuse({ status }, 'invalid_parameter', requestFilterInput);
    expect(message).toBe(`The parameter status ${reason}.`);
  });
});

describe('an idempotency key', () => {
  const header = z.object({ idempotencyKey: idempotencyKeyInput });

  test.each(['k', 'k'.repeat(255)])('can have 1 to 255 characters: %s', (key) => {
    expect(parseInput(header, { idempotencyKey: key })).toEqual({ idempotencyKey: key });
  });

  test.each([[''], ['k'.repeat(256)], [7], ['a\u0000b']])(
    'is refused if it is empty, too long, not a text or contains a control character: %j',
    async (idempotencyKey) => {
      const { message } = await refuse({ idempotencyKey }, 'invalid_parameter', header);
      expect(message).toContain('idempotencyKey');
    },
  );
});

describe('every parameter', () => {
  const { terms: _, ...shape } = requestAccessInput.shape;
  const parameters = {
    ...shape,
    ...termsInput.shape,
    ...requestFilterInput.shape,
    idempotencyKey: idempotencyKeyInput,
  };

  test.each(Object.entries(parameters))(
    'has a description and a valid example: %s',
    (_, schema) => {
      const meta = schema.meta();
      expect(meta?.description).toMatch(/^[A-Z`].{20,}\.$/);
      expect(meta?.example).toBeTruthy();
      expect(schema.safeParse(meta?.example).success).toBe(true);
    },
  );
});

describe('the validation of input', () => {
  const inputCodes = ['invalid_parameter', 'missing_company_id', 'missing_scopes', 'invalid_scope'];

  function outcome(input: unknown): string {
    try {
      parseInput(requestAccessInput, input);
      return 'accepted';
    } catch (error) {
      if (!(error instanceof AccessError)) throw error;
      expect(inputCodes).toContain(error.code);
      return error.code;
    }
  }

  test('accepts any value or refuses it with one of the validation error codes', () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true });
    fc.assert(
      fc.property(anything, (input) => {
        outcome(input);
      }),
    );
  });

  test('refuses invalid input with the first error code in the documented order', () => {
    const companyIds = fc.constantFrom(undefined, '', 'co_1', 7);
    const scopeLists = fc.option(
      fc.array(fc.constantFrom<unknown>(...grantableScopes, 'reports:read', 7), { maxLength: 3 }),
      { nil: undefined },
    );
    const purposes = fc.constantFrom(undefined, null, 'why', 'p'.repeat(1001));
    fc.assert(
      fc.property(companyIds, scopeLists, purposes, (companyId, scopes, purpose) => {
        const isWrong =
          companyId === 7 || scopes?.includes(7) || (purpose?.length ?? 0) > maxPurposeLength;
        const expected = isWrong
          ? 'invalid_parameter'
          : !companyId
            ? 'missing_company_id'
            : !scopes || scopes.length === 0
              ? 'missing_scopes'
              : scopes.includes('reports:read')
                ? 'invalid_scope'
                : 'accepted';
        expect(outcome({ companyId, scopes, purpose })).toBe(expected);
      }),
      { numRuns: 400 },
    );
  });

  test.each([
    ['who.ids[10]', { ids: [...'0123456789', 7], v1: '', '1st': '' }],
    ['who.v1', { ids: [], v1: 7, '1st': '' }],
    ['who.1st', { ids: [], v1: '', '1st': 7 }],
  ])('shows the path of a nested parameter in the error, for example %s', async (path, who) => {
    const text = z.string('invalid_parameter');
    const schema = z.object({ who: z.object({ ids: z.array(text), v1: text, '1st': text }) });
    const { message } = await refuse({ who }, 'invalid_parameter', schema);
    expect(message).toBe(`The parameter ${path} must be a string, not a number.`);
  });

  test('shows the first of several wrong parameters in the error', () => {
    const schema = z.object({ from: z.iso.date(), to: z.iso.date() });
    expect(() => parseInput(schema, { from: 'then', to: 'now' })).toThrow(
      'The parameter from must be a date',
    );
  });

  test('shows the path of the first of several unknown fields in the error', async () => {
    const who = z.strictObject({ name: z.string() }, 'invalid_parameter');
    const input = { who: { name: 'Ada', role: 'cfo', team: 'x' } };
    const { message } = await refuse(input, 'invalid_parameter', z.object({ who }));
    expect(message).toBe('The parameter who.role is unknown.');
  });
});

describe('a read of metrics', () => {
  const company = { companyId: 'co_harbor' };
  const metric = { ...company, key: 'cash_balance' };

  test('can have up to the maximum number of keys', async () => {
    const keys = Array.from({ length: maxMetricKeys }, (_, index) => `key_${index}`);
    expect(parseInput(latestMetricsInput, { ...company, keys })).toEqual({ ...company, keys });
    const tooMany = { ...company, keys: [...keys, 'one_more'] };
    await refuse(tooMany, 'invalid_parameter', latestMetricsInput);
  });

  test.each(['2026-10-31', '0001-01-01', '9999-12-31', '2028-02-29', null, undefined])(
    'can begin and end at the period %s',
    (period) => {
      const input = { ...metric, from: period, to: period };
      expect(parseInput(metricHistoryInput, input)).toEqual(input);
    },
  );

  test.each(['2026-02-29', '2026-1-1', '0000-01-01', '20261031', 'infinity', '', 20261031, {}])(
    'can’t begin or end at %j',
    async (period) => {
      for (const end of ['from', 'to']) {
        const input = { ...metric, [end]: period };
        const { message } = await refuse(input, 'invalid_parameter', metricHistoryInput);
        expect(message).toContain(end);
      }
    },
  );
});

describe('every use case checks its input before the scopes of the key', () => {
  const ofOneCompany = [
    ...(['readPortfolioCompany', 'readLatestMetrics', 'readLatestMetric'] as const),
    ...(['readMetricHistory', 'readSources', 'readAccounts'] as const),
  ];
  const wrong: [keyof InvestorUseCases, unknown, AccessErrorCode?][] = [
    ['listPortfolio', null],
    ['listPortfolio', { access: 'open' }],
    ['listAccessRequests', null],
    ['listAccessRequests', { status: 'open' }],
    ['readAccessRequest', { id: 7 }],
    ['readMetricHistories', { companyId: 'co_1', keys: [] }],
    ['readMetricHistories', { companyId: 'co_1', keys: Array(13).fill('arr') }],
    ['listAccessRecords', { first: 0 }],
    ['listAccessRecords', { after: 'nowhere' }],
    ['requestAccess', { companyId: 'co_1' }, 'missing_scopes'],
    ['requestAccess', { companyId: 'co_1', scopes: ['reports:read'] }, 'invalid_scope'],
    ['requestAccess', { ...good, idempotencyKey: '' }],
    ['readLatestMetrics', { companyId: 'co_1', keys: 'x' }],
    ['readLatestMetric', { companyId: 'co_1' }],
    ['readMetricHistory', { companyId: 'co_1', key: 'x', from: 'y' }],
    ...ofOneCompany.flatMap((name): typeof wrong => [
      [name, undefined],
      [name, { companyId: 7, key: 'x' }],
      [name, { key: 'x' }, 'missing_company_id'],
      [name, { companyId: '', key: 'x' }, 'missing_company_id'],
    ]),
  ];

  test.each(wrong)('%s refuses the input %j', async (name, input, code = 'invalid_parameter') => {
    const { world, caller } = await aNewcomer({ scopes: ['reports:read'] });
    const useCase = world.callers[name] as (by: InvestorCaller, of: unknown) => Promise<unknown>;
    await expectRefusal(useCase(caller, input), code);
  });
});

test('the error for an unknown parameter contains its name and suggests a known parameter', () => {
  expect(unknownParameter('state', ['id', 'status'], 'status')).toMatchObject({
    code: 'invalid_parameter',
    parameter: 'state',
    message: 'The parameter state is unknown. Perhaps status is meant.',
    details: { param: 'state', allowed: ['id', 'status'] },
  });
  expect(unknownParameter('x', ['id']).message).toBe('The parameter x is unknown.');
  expect(unknownParameter('x', []).details).toEqual({ param: 'x' });
});
