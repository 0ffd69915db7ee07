import { describe, expect, test } from 'vitest';
import { AccessError, Refusal } from '#core';
import {
  documentationUrl,
  errorAnswers,
  errorCatalogue,
  errorCodes,
  ProtocolError,
  refusalOf,
} from '#http';
import { errorTable } from '../support/contract.ts';

describe('the catalogue of errors', () => {
  test('has exactly the error codes of the API contract', () => {
    expect([...errorCodes].sort()).toEqual(Object.keys(errorTable).sort());
  });

  test.each(errorCodes)('%s has the status and the type of the API contract', (code) => {
    expect([errorAnswers[code].status, errorCatalogue[code].type]).toEqual(errorTable[code]);
  });

  test.each(errorCodes)(
    '%s has a message in complete sentences that states the problem and the next step',
    (code) => {
      expect(errorCatalogue[code].message).toMatch(/^\S.{10,}\.$/);
      expect(errorAnswers[code].remedy).toMatch(/^[A-Z].{10,}\.$/);
    },
  );

  test('links each code to its section on the page of error codes', () => {
    expect(documentationUrl('access_pending', 'https://access.example')).toBe(
      'https://access.example/docs/errors#access_pending',
    );
  });
});

describe('the response to a thrown error', () => {
  test.each([new AccessError('access_pending'), new ProtocolError('query_too_deep')])(
    'has the code of the error if the service refused the call: %s',
    (refusal) => {
      expect(refusalOf(refusal)).toBe(refusal);
    },
  );

  test.each([new Error('secret inside'), new Refusal('company_id_taken'), 'text', null])(
    'is internal_error if the thrown value isn’t a refusal, and only the log contains the value: %s',
    (thrown) => {
      const told = refusalOf(thrown);
      expect(told.code).toBe('internal_error');
      expect(told.message).toBe(errorCatalogue.internal_error.message);
      expect(told.cause).toBe(thrown);
    },
  );
});
