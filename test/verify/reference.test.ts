import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifyMetric } from '../../verify/index.ts';
import type { Json } from '../cli/harness.ts';
import { startService, type TestService } from '../support/service.ts';
import { exampleKey, jwksOf, publicJwk } from './signing.ts';

/** The reference shows a verification worked by hand: of its own example, which is a true one. */

let service: TestService;
let example: Json;
let blocks: string[];

beforeAll(async () => {
  service = await startService({ storage: { memory: true } });
  const { info, paths } = service.document;
  const { responses } = paths['/v1/companies/{id}/metrics/{key}'].get;
  const content = responses[200].content['application/json'];
  example = content.example;
  blocks = [...info.description.matchAll(/^```json\n(.*)\n```$/gm)].map(([, block]) => block);
});
afterAll(() => service.close());

it('the example of a metric is verified by the key that is shown', async () => {
  expect(await verifyMetric(example, { jwks: jwksOf(exampleKey) })).toMatchObject({
    valid: true,
    exact: true,
  });
  expect(blocks[2]).toBe(JSON.stringify(publicJwk(exampleKey)));
});

it('the header and the payload that are shown are those of the example', () => {
  const parts: string[] = example.verification.signature.split('.');
  expect(parts.slice(0, 2).map((part) => Buffer.from(part, 'base64url').toString())).toEqual(
    blocks.slice(0, 2),
  );
});
