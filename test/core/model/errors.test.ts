import { describe, expect, test } from 'vitest';
import {
  AccessError,
  type AccessErrorCode,
  accessErrors,
  DataLocked,
  errorTypes,
  Refusal,
} from '#core';
import { errorTable } from '../../support/contract.ts';

const codes = Object.keys(accessErrors) as AccessErrorCode[];

describe('the catalogue of errors', () => {
  test('has exactly the error types of the API contract', () => {
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

  test.each(codes)('%s has the error type of the API contract', (code) => {
    expect(accessErrors[code].type).toBe(errorTable[code][1]);
    expect(new AccessError(code).type).toBe(errorTable[code][1]);
  });

  test.each(codes)('%s has a message in complete sentences', (code) => {
    expect(accessErrors[code].message).toMatch(/^\S.{10,}\.$/);
    expect(new AccessError(code).message).toBe(accessErrors[code].message);
  });
});

describe('an error', () => {
  test('has a more specific message if one is given', () => {
    expect(new AccessError('invalid_parameter', { message: 'exactly this' }).message).toBe(
      'exactly this',
    );
  });

  test('keeps its cause, which the service can log', () => {
    const cause = new Error('the connection broke');
    expect(new AccessError('service_unavailable', { cause }).cause).toBe(cause);
    expect(new DataLocked({ cause })).toMatchObject({ code: 'service_unavailable', cause });
  });

  test('can be distinguished from other errors by its name', () => {
    expect(new AccessError('internal_error').name).toBe('AccessError');
    expect(new Refusal('company_id_taken').name).toBe('Refusal');
  });

  test('has a wait before a retry, in seconds, if the constructor gets one', () => {
    expect(new AccessError('rate_limit_exceeded', { retryAfterSeconds: 7 }).retryAfterSeconds).toBe(
      7,
    );
    expect(new AccessError('service_unavailable', { retryAfterSeconds: 9 }).retryAfterSeconds).toBe(
      9,
    );
  });

  test('waits five seconds before a retry by default only if the service is unavailable', () => {
    expect(new AccessError('service_unavailable').retryAfterSeconds).toBe(5);
    expect(new AccessError('internal_error').retryAfterSeconds).toBeUndefined();
  });
});
