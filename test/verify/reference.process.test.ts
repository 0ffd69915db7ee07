import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { verifyMetric, verifyReceipt } from '../../verify/index.ts';
import { type Json, runCommand } from '../cli/harness.ts';
import { startService, type TestService } from '../support/service.ts';
import { createPythonVerifier, hasCryptography } from './page.ts';
import { exampleKey, jwksOf, publicJwk } from './signing.ts';

/** Readers can verify the examples by hand, as the reference explains. */

let service: TestService;
let example: Json;
let blocks: string[];
const jwks = jwksOf(exampleKey);

const exampleOf = (document: Json, path: string) =>
  document.paths[path].get.responses[200].content['application/json'].example;

beforeAll(async () => {
  service = await startService({ storage: { memory: true } });
  const { document } = service;
  example = exampleOf(document, '/v1/companies/{id}/metrics/{key}');
  blocks = [...document.info.description.matchAll(/^```json\n(.*)\n```$/gm)].map(
    ([, block]) => block,
  );
});
afterAll(() => service.close());

it('the example of a metric is verified with the shown key', async () => {
  expect(await verifyMetric(example, { jwks })).toMatchObject({ valid: true, exact: true });
  expect(blocks[2]).toBe(JSON.stringify(publicJwk(exampleKey)));
});

it('the header and the payload in the reference are those of the example’s signature', () => {
  const parts: string[] = example.verification.signature.split('.');
  expect(parts.slice(0, 2).map((part) => Buffer.from(part, 'base64url').toString())).toEqual(
    blocks.slice(0, 2),
  );
});

describe.each(['/v1', '/company/v1'])('the examples of receipts below %s', (root) => {
  const documentOf = () => (root === '/v1' ? service.document : service.companyDocument);

  it('are verified, as a list and in an event', async () => {
    const folder = await mkdtemp(join(inject('dataFolder'), 'reference'));
    const jwksFile = join(folder, 'jwks.json');
    await writeFile(jwksFile, JSON.stringify(jwks));
    const inPython = hasCryptography ? await createPythonVerifier(jwks) : null;
    for (const path of [`${root}/access-requests/{id}/receipts`, `${root}/events`]) {
      const answer = JSON.stringify(exampleOf(documentOf(), path));
      const { json } = await runCommand(['verify', '-', '--jwks', jwksFile, '--json'], {
        stdin: [answer],
      });
      expect(json).toMatchObject({ receipts: 1, failed: 0, failures: [] });
      if (inPython !== null) expect(await inPython(answer)).toMatchObject({ exitCode: 0 });
    }
  });

  it('match the examples of requests and events', async () => {
    const [receipt] = exampleOf(documentOf(), `${root}/access-requests/{id}/receipts`).data;
    const [event] = exampleOf(documentOf(), `${root}/events`).data;
    const { access_request: request } = event.data;
    const { investor = { id: expect.stringMatching(/^inv_/), name: expect.any(String) } } = request;
    const companies = exampleOf(service.document, '/v1/companies').data;
    expect(await verifyReceipt(receipt, { jwks })).toMatchObject({
      payload: { access_request_id: request.id, previous_receipt_id: null },
    });
    expect(await verifyReceipt(event.data.receipt, { jwks })).toMatchObject({
      payload: {
        event_id: event.id,
        event_type: event.type,
        issued_at: event.created_at,
        access_request_id: request.id,
        data_subject: {
          id: request.company_id,
          name:
            companies.find(({ id }: Json) => id === request.company_id)?.name ?? 'Juniper Health',
        },
        data_recipient: investor,
        purpose: request.purpose,
        requested_scopes: request.requested_scopes,
        approved_scopes: request.approved_scopes,
        valid_until: request.expires_at,
        status: request.status,
      },
    });
  });
});
