import fc from 'fast-check';
import { grantable } from '../support/contract.ts';
import { bodyMark, encoded, type HostileRequest, nastyText } from './requests.ts';

interface Sides {
  readonly key: string;
  readonly companyKey: string;
  readonly requestIds: readonly string[];
}

/** Generates acts of a company or an investor on a request. Many values are valid, so that some acts succeed. */
export function hostileDecision({
  key,
  companyKey,
  requestIds,
}: Sides): fc.Arbitrary<HostileRequest> {
  const id = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...requestIds) },
    { weight: 1, arbitrary: encoded },
  );
  const instant = fc
    .date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString());
  const text = nastyText.map((nasty) => `${bodyMark} ${nasty}`);
  const scopes = fc.oneof(
    { weight: 5, arbitrary: fc.subarray([...grantable]) },
    { weight: 1, arbitrary: fc.array(nastyText, { maxLength: 3 }) },
  );
  const field = <T>(right: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 6, arbitrary: right }, { weight: 1, arbitrary: fc.jsonValue() });
  const body = (fields: Record<string, fc.Arbitrary<unknown>>) =>
    fc.record(
      Object.fromEntries(Object.entries(fields).map(([name, right]) => [name, field(right)])),
      { requiredKeys: [] },
    );
  const send = (
    method: string,
    secret: string,
    path: fc.Arbitrary<string>,
    sent: fc.Arbitrary<object | undefined> = fc.constant(undefined),
  ): fc.Arbitrary<HostileRequest> =>
    fc.tuple(path, sent).map(([target, content]) => ({
      method,
      path: target.slice(0, 12_000),
      headers: {
        authorization: `Bearer ${secret}`,
        ...(content && { 'content-type': 'application/json' }),
      },
      raw: content && JSON.stringify(content),
    }));
  const decide = (action: string, fields: Record<string, fc.Arbitrary<unknown>>) =>
    send(
      'POST',
      companyKey,
      id.map((one) => `/company/v1/access-requests/${one}/${action}`),
      body(fields),
    );
  const own = id.map((one) => `/v1/access-requests/${one}`);
  const query = fc
    .array(
      fc.tuple(
        fc.constantFrom('status', 'limit', 'cursor', 'investor_id', 'since', 'until', 'after'),
        fc.oneof(encoded, instant, fc.nat().map(String), fc.constantFrom('pending', '0.a', '1')),
      ),
      { maxLength: 3 },
    )
    .map((pairs) => pairs.map((pair) => pair.join('=')).join('&'));
  const lists = fc
    .tuple(fc.constantFrom('access-requests', 'access-records', 'events'), query)
    .map(([list, text]) => `/company/v1/${list}?${text}`);
  return fc.oneof(
    decide('approve', { scopes, expires_at: instant }),
    decide('decline', { reason: text }),
    decide('revoke', { reason: text }),
    decide('extend', { expires_at: instant }),
    send('PATCH', key, own, body({ scopes, purpose: text })),
    send('DELETE', key, own),
    send('GET', companyKey, lists),
    send(
      'GET',
      key,
      query.map((text) => `/v1/events?${text}`),
    ),
  );
}
