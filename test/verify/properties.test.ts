import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifyMetric } from '../../verify/index.ts';
import { isFull } from '../support/property-runs.ts';
import { arbitraryPayload, changedField, changedSignature } from './changes.ts';
import { writeJson } from './other-json.ts';
import { camelMetric, restMetric, type ValuePayload } from './samples.ts';
import { exampleKey, jwksOf, signMetric } from './signing.ts';

const jwks = jwksOf(exampleKey);

/** Writes every digit of the amount into the JSON number, as the service does. */
function answerOf(payload: ValuePayload, signature: string, isCamel: boolean): string {
  const metric = isCamel ? camelMetric(payload, signature) : restMetric(payload, signature);
  const { signed_at, revision } = payload;
  const verification = isCamel
    ? metric.verification
    : { ...metric.verification, signed_at, revision };
  return JSON.stringify({ ...metric, verification }, (name, value) =>
    name === 'raw_value' ? JSON.rawJSON(payload.raw_value) : value,
  );
}

const metricCase = fc.tuple(arbitraryPayload, fc.boolean()).chain(([payload, isCamel]) =>
  fc.record({
    payload: fc.constant(payload),
    isCamel: fc.constant(isCamel),
    change: changedField(payload, isCamel),
    signature: changedSignature(payload),
    choices: fc.infiniteStream(fc.nat(11)),
    isSignatureChanged: fc.boolean(),
  }),
);

test('any change of signed content is refused, but the same content in another notation is accepted', async () => {
  await fc.assert(
    fc.asyncProperty(metricCase, async (given) => {
      const { payload, isCamel, change, choices, signature, isSignatureChanged } = given;
      const answer = answerOf(payload, signMetric(payload, exampleKey), isCamel);
      const verify = (metric: unknown) => verifyMetric(metric, { jwks });

      const parsed = JSON.parse(answer);
      expect(await verify(parsed)).toEqual({
        valid: true,
        exact: true,
        kid: exampleKey.kid,
        payload,
      });

      const choose = (bound: number) => (choices.next().value ?? 0) % bound;
      const rewritten = writeJson(JSON.parse(answer), choose);
      expect(await verify(JSON.parse(rewritten)), rewritten).toMatchObject({
        valid: true,
        exact: true,
      });

      if (isSignatureChanged) parsed.verification.signature = signature;
      else change(parsed);
      expect(JSON.stringify(parsed)).not.toBe(JSON.stringify(JSON.parse(answer)));
      expect(await verify(parsed)).toMatchObject({ valid: false });
    }),
    { numRuns: isFull ? 20_000 : 300 },
  );
});
