import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { InputError, parseInput, requestAccessInput } from '#core';
import { fieldsAt } from '../../../core/model/allowed.ts';
import { instantInput, nameInput, pageInput } from '../../../core/model/input.ts';

const kinds = ['bank', 'credit'] as const;
const wrong = 'invalid_parameter';

/** Creates a new schema on each call, because the service caches the allowed values of each schema. */
const createSchema = () =>
  z.strictObject(
    {
      kind: z.enum(kinds, wrong).nullish(),
      kinds: z.array(z.enum(kinds, wrong), wrong).min(1, wrong).optional(),
      keys: z.array(z.string(wrong), wrong).max(3, wrong).optional(),
      limit: z.int(wrong).min(1, wrong).max(200, wrong).default(50),
      text: z.string(wrong).max(9, wrong).nullish(),
      end: instantInput.nullish(),
      name: nameInput.optional(),
      flag: z.boolean(wrong).optional(),
      who: z.strictObject({ age: z.int(wrong).min(18, wrong) }, wrong).nullish(),
      map: z.record(z.string(), z.enum(kinds, wrong)).optional(),
    },
    wrong,
  );

function refuse(input: unknown, of: z.ZodType = createSchema()): InputError {
  try {
    parseInput(of, input);
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

describe('the error for a refused input', () => {
  test.each([
    ['a value isn’t allowed', { kind: 'cash' }, 'kind', kinds],
    ['a value has the wrong type', { kind: 7 }, 'kind', kinds],
    ['one value in a list isn’t allowed', { kinds: ['bank', 'cash'] }, 'kinds[1]', kinds],
    ['a value isn’t a list', { kinds: 'bank' }, 'kinds', kinds],
    ['a list is too long', { keys: ['a', 'b', 'c', 'd'] }, 'keys', { maxItems: 3 }],
    ['a number is too small', { limit: 0 }, 'limit', { minimum: 1, maximum: 200 }],
    ['a number is sent as a text', { limit: '7' }, 'limit', { minimum: 1, maximum: 200 }],
    ['a text is too long', { text: 'x'.repeat(10) }, 'text', { maxLength: 9 }],
    ['a value isn’t a date and time', { end: 'tomorrow' }, 'end', { format: 'date-time' }],
    ['a field of a nested object isn’t allowed', { who: { age: 7 } }, 'who.age', { minimum: 18 }],
  ])('lists the allowed values or limits if %s', (_what, input, param, allowed) => {
    const { details } = refuse(input);
    expect(details).toMatchObject({ param, allowed });
  });

  test('lists the known fields of an object if the object has an unknown field', () => {
    expect(refuse({ who: { age: 20, name: 'x' } }).details).toEqual({
      param: 'who.name',
      allowed: ['age'],
    });
    expect(refuse({ size: 7 }).details.allowed).toContain('limit');
  });

  test.each([
    ['a name breaks a custom rule', { name: ' ' }, { param: 'name' }],
    ['a boolean field has the wrong type', { flag: 1 }, { param: 'flag' }],
    [
      'the schema doesn’t name the wrong field',
      { map: { constructor: 'x' } },
      { param: 'map.constructor' },
    ],
    ['the input isn’t an object', 7, {}],
  ])('lists neither allowed values nor limits if %s', (_what, input, details) => {
    expect(refuse(input).details).toStrictEqual(details);
  });

  test('lists the allowed values for real use cases, not only for the schemas of this test', () => {
    const good = { companyId: 'co_1', scopes: ['metrics:read'] };
    const scopes = ['metrics:read', 'accounts:read', 'sources:read'];
    const ask = (input: object) => refuse({ ...good, ...input }, requestAccessInput).details;
    expect(ask({ scopes: [] })).toEqual({ param: 'scopes', allowed: scopes });
    expect(ask({ scopes: ['x'] })).toEqual({ param: 'scopes[0]', allowed: scopes });
    expect(ask({ purpose: 7 })).toEqual({ param: 'purpose', allowed: { maxLength: 1000 } });
    expect(ask({ idempotencyKey: '' })).toEqual({
      param: 'idempotencyKey',
      allowed: { minLength: 1, maxLength: 255 },
    });
    expect(refuse({ limit: 201 }, pageInput).details.allowed).toEqual({ minimum: 1, maximum: 200 });
  });

  test('spells the parameter’s name as the protocol does', () => {
    const refusal = refuse({ limit: 0 }).withName('page_size');
    expect(refusal.parameter).toBe('page_size');
    expect(refusal.message).toBe("The parameter page_size has a value that isn't allowed.");
    expect(refusal.details).toEqual({
      param: 'page_size',
      allowed: { minimum: 1, maximum: 200 },
    });
    const plain = refuse({ purpose: 'a\u202eb' }, requestAccessInput.pick({ purpose: true }));
    expect(plain.withName('why').message).toMatch(
      /^The parameter why contains a control character/,
    );
  });
});

test('fieldsAt returns the fields of the object at a path, or an empty list for an unknown path', () => {
  expect(fieldsAt(createSchema(), ['who'])).toEqual(['age']);
  expect(fieldsAt(createSchema(), ['who', 'nobody', 'at'])).toEqual([]);
});
