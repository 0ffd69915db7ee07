import { expect } from 'vitest';
import { errorTable, type RefusalCode } from './contract.ts';
import type { Answer } from './http-client.ts';

export function expectRefusal(answer: Answer, code: RefusalCode): void {
  expect({ status: answer.status, code: answer.body?.error?.code }, describe(answer)).toEqual({
    status: errorTable[code][0],
    code,
  });
}

export function expectOk(answer: Answer, status = 200): void {
  expect(answer.status, `${describe(answer)}: ${answer.text}`).toBe(status);
}

/** Removes the parts that differ between HTTP requests, so two answers can be compared byte by byte. */
export function withoutRequestId({ status, headers, text }: Answer) {
  const id = String(headers['svc-request-id']);
  const { 'svc-request-id': _id, date: _date, ...rest } = headers;
  return { status, headers: withoutBudget(rest), text: text.replaceAll(id, '(id)') };
}

function withoutBudget(headers: Answer['headers']): Answer['headers'] {
  const {
    'ratelimit-remaining': _remaining,
    'ratelimit-reset': _reset,
    ratelimit: _,
    ...rest
  } = headers;
  return rest;
}

function describe({ method, path }: Answer): string {
  return `${method} ${path}`;
}
