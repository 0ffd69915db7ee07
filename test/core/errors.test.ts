import { describe, expect, test } from 'vitest';
import {
  AccessError,
  documentationUrl,
  errorCatalogue,
  errorCodes,
  errorTypes,
  OperatorError,
  toAccessError,
} from '#core';
import { errorTable } from '../support/contract.ts';

describe('the catalogue of errors', () => {
  test('has the codes of the contract and no other', () => {
    expect([...errorCodes].sort()).toEqual(Object.keys(errorTable).sort());
  });

  test('has the types of the contract and no other', () => {
    expect(errorTypes).toEqual([
      'authentication_error',
      'permission_error',
      'invalid_request_error',
      'not_found_error',
      'rate_limit_error',
      'idempotency_error',
      'api_error',
    ]);
  });

  test.each(errorCodes)('%s has the type of the contract', (code) => {
    expect(errorCatalogue[code].type).toBe(errorTable[code][1]);
    expect(new AccessError(code).type).toBe(errorTable[code][1]);
  });

  test.each(errorCodes)(
    '%s tells the caller what is wrong and what to do, in sentences',
    (code) => {
      const { message, remedy } = errorCatalogue[code];
      expect(message).toMatch(/^\S.{10,}\.$/);
      expect(remedy).toMatch(/^[A-Z].{10,}\.$/);
      expect(new AccessError(code).message).toBe(message);
    },
  );
});

describe('a refusal', () => {
  test('says the more exact thing when there is one', () => {
    expect(new AccessError('invalid_parameter', { message: 'exactly this' }).message).toBe(
      'exactly this',
    );
  });

  test('keeps its cause for the log', () => {
    const cause = new Error('the connection broke');
    expect(new AccessError('service_unavailable', { cause }).cause).toBe(cause);
  });

  test('is told from every other error by its name', () => {
    expect(new AccessError('internal_error').name).toBe('AccessError');
    expect(new OperatorError('conflict', 'taken').name).toBe('OperatorError');
  });

  test('names the seconds to wait when it knows them', () => {
    expect(new AccessError('rate_limit_exceeded', { retryAfterSeconds: 7 }).retryAfterSeconds).toBe(
      7,
    );
    expect(new AccessError('service_unavailable', { retryAfterSeconds: 9 }).retryAfterSeconds).toBe(
      9,
    );
  });

  test('during an outage names five seconds when nobody knows, and otherwise none', () => {
    expect(new AccessError('service_unavailable').retryAfterSeconds).toBe(5);
    expect(new AccessError('internal_error').retryAfterSeconds).toBeUndefined();
  });
});

describe('what a caller is told of a thrown thing', () => {
  test('a refusal is told as it is', () => {
    const refusal = new AccessError('access_pending');
    expect(toAccessError(refusal)).toBe(refusal);
  });

  test.each([new Error('secret inside'), new OperatorError('conflict', 'taken'), 'text', null])(
    'anything else is masked, and kept for the log: %s',
    (thrown) => {
      const told = toAccessError(thrown);
      expect(told.code).toBe('internal_error');
      expect(told.message).toBe(errorCatalogue.internal_error.message);
      expect(told.cause).toBe(thrown);
    },
  );

  test('each code leads to its place on the page of error codes', () => {
    expect(documentationUrl('access_pending', 'https://access.example')).toBe(
      'https://access.example/docs/errors#access_pending',
    );
  });
});
