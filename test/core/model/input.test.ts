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
  isName,
  maxMetricKeys,
  maxPurposeLength,
  parseInput,
  type Refusal,
  requestAccessInput,
  requestFilterInput,
  unknownParameter,
} from '#core';
import { typeNameOf } from '../../../core/model/wrong-type.ts';
import {
  latestMetricsInput,
  metricHistoryInput,
} from '../../../core/use-cases/company-data/read-company-data.ts';
import { createWorld, expectRefusal } from '../world.ts';

const good = { companyId: 'co_harbor', scopes: ['metrics:read'] };

function refuse(input: unknown, code: AccessErrorCode): Promise<Refusal> {
  return expectRefusal(() => parseInput(requestAccessInput, input), code);
}

describe('a request for access', () => {
  test('is accepted with a company and at least one grantable scope', () => {
    expect(parseInput(requestAccessInput, good)).toEqual(good);
  });

  test('is accepted with a purpose of up to 1,000 characters', () => {
    expect(maxPurposeLength).toBe(1000);
    const input = { ...good, purpose: 'p'.repeat(1000) };
    expect(parseInput(requestAccessInput, input)).toEqual(input);
  });

  test('is accepted with a null purpose, which is the same as no purpose', () => {
    expect(parseInput(requestAccessInput, { ...good, purpose: null }).purpose ?? null).toBeNull();
  });

  test('is accepted with unknown fields, which are ignored', () => {
    expect(parseInput(requestAccessInput, { ...good, admin: true })).toEqual(good);
  });

  test('is accepted with duplicate scopes, which are removed later', () => {
    const scopes = ['metrics:read', 'metrics:read'];
    expect(parseInput(requestAccessInput, { ...good, scopes }).scopes).toEqual(scopes);
  });

  test('is accepted with a malformed company id, which a later step reports as not found', () => {
    expect(parseInput(requestAccessInput, { ...good, companyId: '../x' }).companyId).toBe('../x');
  });
});

describe('a request for access', () => {
  test.each([
    ['no company', { scopes: ['metrics:read'] }],
    ['an empty company', { ...good, companyId: '' }],
    ['neither company nor scopes', {}],
    ['an empty company and no scopes', { companyId: '', scopes: [] }],
    ['no company and a scope that cannot be granted', { scopes: ['companies:read'] }],
  ])('is refused with missing_company_id if the input has %s', async (_what, input) => {
    const { message } = await refuse(input, 'missing_company_id');
    expect(message).toBe('The parameter companyId is missing.');
  });

  test.each([
    ['no scopes', { companyId: 'co_harbor' }],
    ['empty scopes', { ...good, scopes: [] }],
  ])('is refused with missing_scopes if the input has %s', async (_what, input) => {
    const { message } = await refuse(input, 'missing_scopes');
    expect(message).toBe('The parameter scopes is missing.');
  });

  test.each(['companies:read', 'reports:read', 'metrics:write', ''])(
    'is refused with invalid_scope if one of the scopes is %j',
    async (scope) => {
      const error = await refuse({ ...good, scopes: ['metrics:read', scope] }, 'invalid_scope');
      expect(error.message).toBe(
        'scopes[1] can’t be granted. These scopes can be granted: metrics:read, accounts:read, sources:read.',
      );
    },
  );

  test.each([
    ['companyId', 'must be a string, not a number', { ...good, companyId: 7 }],
    ['companyId', 'must be a string, not null', { ...good, companyId: null }],
    ['scopes', 'must be an array, not a string', { ...good, scopes: 'metrics:read' }],
    ['scopes', 'must be an array, not null', { ...good, scopes: null }],
    ['scopes[1]', 'must be a string, not a number', { ...good, scopes: ['metrics:read', 7] }],
    ['scopes[0]', 'must be a string, not null', { ...good, scopes: [null] }],
    ['purpose', 'must be a string, not a number', { ...good, purpose: 7 }],
    ['purpose', "has a value that isn't allowed", { ...good, purpose: 'p'.repeat(1001) }],
  ])(
    'is refused with invalid_parameter and a message that %s %s: %o',
    async (parameter, reason, input) => {
      const { message } = await refuse(input, 'invalid_parameter');
      expect(message).toBe(`The parameter ${parameter} ${reason}.`);
    },
  );

  test.each([
    ['purpose', { ...good, purpose: 'a\u0000b' }],
    ['purpose', { ...good, purpose: 'half a pair: \ud800' }],
    ['idempotencyKey', { ...good, idempotencyKey: 'a\nb' }],
  ])(
    'is refused with invalid_parameter if %s contains a character that isn’t allowed: %o',
    async (parameter, input) => {
      const { message } = await refuse(input, 'invalid_parameter');
      expect(message).toBe(
        `The parameter ${parameter} contains a control character, an invisible character, or one that changes the text direction.`,
      );
    },
  );

  test.each([[null], [undefined], [[]], ['text'], [7], [true]])(
    'is refused with invalid_parameter if the body is %j instead of an object',
    async (input) => {
      const { message } = await refuse(input, 'invalid_parameter');
      expect(message).toBe('The input must be an object.');
    },
  );

  test('is refused with invalid_parameter even if other values are missing or can’t be granted', async () => {
    await refuse({ scopes: [], purpose: 7 }, 'invalid_parameter');
    await refuse({ scopes: ['reports:read', 7] }, 'invalid_parameter');
  });

  test('is refused with missing_company_id before missing_scopes, and with missing_scopes before invalid_scope', async () => {
    await refuse({ companyId: 'co_1', scopes: [] }, 'missing_scopes');
    await refuse({ companyId: '', scopes: ['nonsense'] }, 'missing_company_id');
  });
});

describe('the filter of a list', () => {
  test.each([
    ['none', "has a value that isn't allowed"],
    ['', "has a value that isn't allowed"],
    ['PENDING', "has a value that isn't allowed"],
    [7, 'must be a string, not a number'],
    [null, 'must be a string, not null'],
    [['pending'], 'must be a string, not an array'],
  ])('is refused if its status is %j, because the status %s', async (status, reason) => {
    const { message } = await expectRefusal(
      () => parseInput(requestFilterInput, { status }),
      'invalid_parameter',
    );
    expect(message).toBe(`The parameter status ${reason}.`);
  });
});

describe('a value of the wrong type', () => {
  const schema = z.object({
    count: z.int(),
    when: z.union([z.date(), z.iso.datetime()]),
    deep: z.object({ on: z.boolean(), more: z.record(z.string(), z.number()) }),
  });
  const right = { count: 1, when: '2026-11-02T09:30:00Z', deep: { on: true, more: {} } };
  test.each([
    ['count', 'is missing', { ...right, count: undefined }],
    ['count', 'must be an integer', { ...right, count: 1.5 }],
    ['count', 'must be a number, not a string', { ...right, count: '1' }],
    ['when', 'must be a string, not a number', { ...right, when: 7 }],
    [
      'when',
      'must be a date and time with a time zone, like 2026-11-02T09:30:00Z',
      { ...right, when: 'later' },
    ],
    ['deep', 'must be an object, not a boolean', { ...right, deep: true }],
    ['deep.on', 'must be a boolean, not an object', { ...right, deep: { ...right.deep, on: {} } }],
    ['deep.on', 'is missing', { ...right, deep: { more: {} } }],
    ['deep.more', 'must be an object, not null', { ...right, deep: { on: true, more: null } }],
  ])('is refused with the message that %s %s: %j', async (parameter, reason, input) => {
    const { message } = await expectRefusal(() => parseInput(schema, input), 'invalid_parameter');
    expect(message).toBe(`The parameter ${parameter} ${reason}.`);
  });
});

describe('an idempotency key', () => {
  const header = z.object({ idempotencyKey: idempotencyKeyInput });

  test.each(['k', 'k'.repeat(255)])('can have 1 to 255 characters: %s', (key) => {
    expect(parseInput(header, { idempotencyKey: key })).toEqual({ idempotencyKey: key });
  });

  test.each([[''], ['k'.repeat(256)], [7], ['a\u0000b']])(
    'is refused if it is empty, too long, not a text or contains a control character: %j',
    async (key) => {
      const { message } = await expectRefusal(
        () => parseInput(header, { idempotencyKey: key }),
        'invalid_parameter',
      );
      expect(message).toContain('idempotencyKey');
    },
  );
});

describe('every parameter', () => {
  const parameters = {
    ...requestAccessInput.shape,
    ...requestFilterInput.shape,
    idempotencyKey: idempotencyKeyInput,
  };

  test.each(Object.entries(parameters))(
    'has a description and a valid example: %s',
    (_name, schema) => {
      const meta = schema.meta();
      expect(meta?.description).toMatch(/^[A-Z].{20,}\.$/);
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

  test('accepts any value or refuses the value with one of the known codes', () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true });
    fc.assert(
      fc.property(anything, (input) => {
        outcome(input);
      }),
    );
  });

  test('refuses a wrong request with the first error code in the documented order', () => {
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
  ])('names a nested parameter by its path: %s', async (path, who) => {
    const text = z.string('invalid_parameter');
    const schema = z.object({ who: z.object({ ids: z.array(text), v1: text, '1st': text }) });
    const error = await expectRefusal(() => parseInput(schema, { who }), 'invalid_parameter');
    expect(error.message).toBe(`The parameter ${path} must be a string, not a number.`);
  });

  test('names the first of several wrong parameters', () => {
    const schema = z.object({ from: z.iso.date(), to: z.iso.date() });
    expect(() => parseInput(schema, { from: 'then', to: 'now' })).toThrow(
      'The parameter from must be a date',
    );
  });

  test('refuses a parameter with invalid_parameter if the schema sets no error code', () => {
    const schema = z.object({ count: z.number() });
    expect(() => parseInput(schema, { count: 'seven' })).toThrow(
      expect.objectContaining({ code: 'invalid_parameter', parameter: 'count' }),
    );
  });
});

describe('a read of metrics', () => {
  const company = { companyId: 'co_harbor' };
  const metric = { ...company, key: 'cash_balance' };

  test('can have up to the maximum number of keys', async () => {
    const keys = Array.from({ length: maxMetricKeys }, (_, index) => `key_${index}`);
    expect(parseInput(latestMetricsInput, { ...company, keys })).toEqual({ ...company, keys });
    const tooMany = { ...company, keys: [...keys, 'one_more'] };
    await expectRefusal(() => parseInput(latestMetricsInput, tooMany), 'invalid_parameter');
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
        const { message } = await expectRefusal(
          () => parseInput(metricHistoryInput, { ...metric, [end]: period }),
          'invalid_parameter',
        );
        expect(message).toContain(end);
      }
    },
  );
});

describe('every use case checks its input before the scopes of the key', () => {
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
    ...(
      [
        'readPortfolioCompany',
        'readLatestMetrics',
        'readLatestMetric',
        'readMetricHistory',
        'readSources',
        'readAccounts',
      ] as const
    ).flatMap((name): typeof wrong => [
      [name, undefined],
      [name, { companyId: 7, key: 'x' }],
      [name, { key: 'x' }, 'missing_company_id'],
      [name, { companyId: '', key: 'x' }, 'missing_company_id'],
    ]),
  ];

  test.each(wrong)('%s refuses the input %j', async (name, input, code = 'invalid_parameter') => {
    const world = createWorld();
    const { caller } = await world.newcomer({ scopes: ['reports:read'] });
    const useCase = world.callers[name] as (
      caller: InvestorCaller,
      input: unknown,
    ) => Promise<unknown>;
    await expectRefusal(useCase(caller, input), code);
  });
});

describe('an unknown parameter', () => {
  test('is named in the error, with a suggestion', () => {
    expect(unknownParameter('state', ['id', 'status'], 'status')).toMatchObject({
      code: 'invalid_parameter',
      parameter: 'state',
      message: 'The parameter state is unknown. Perhaps status is meant.',
      details: { param: 'state', allowed: ['id', 'status'] },
    });
    expect(unknownParameter('x', ['id']).message).toBe('The parameter x is unknown.');
    expect(unknownParameter('x', []).details).toEqual({ param: 'x' });
  });
});

test('the error names the first of several unknown fields by its path', async () => {
  const who = z.strictObject({ name: z.string() }, 'invalid_parameter');
  const error = await expectRefusal(
    () => parseInput(z.object({ who }), { who: { name: 'Ada', role: 'cfo', team: 'x' } }),
    'invalid_parameter',
  );
  expect(error.message).toBe('The parameter who.role is unknown.');
});

describe('a name', () => {
  test.each(['x', 'Nordwind GmbH', 'x'.repeat(200), 'אבג', 'a\u200fb'])('can be %j', (name) => {
    expect(isName(name)).toBe(true);
  });

  test.each([
    ['no characters', ''],
    ['more than 200 characters', 'x'.repeat(201)],
    ['a space at the start', ' x'],
    ['a space at the end', 'x '],
    ['a NUL character', 'a\u0000b'],
    ['half of a surrogate pair', 'a\ud800'],
    ['a character that overrides the text direction', 'a\u202eb'],
    ['a character that isolates the text direction', 'a\u2066b'],
  ])('is refused if it has %s', (_what, name) => {
    expect(isName(name)).toBe(false);
  });
});

test('the type name of an exact JSON number is “a number”', () => {
  expect(typeNameOf(JSON.rawJSON('1.50'))).toBe('a number');
});
