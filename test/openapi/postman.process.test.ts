import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMigratedDataDir, type DataDir } from '../support/databases.ts';
import type { Json } from '../support/http-client.ts';
import { killLeftovers, type RunningService, startServiceProcess } from '../support/processes.ts';
import { type CollectionRequest, importToPostman, requestsOf } from './collection.ts';

let dataDir: DataDir;
let service: RunningService;
const keys = { apiKey: '', companyKey: '' };

beforeAll(async () => {
  dataDir = await createMigratedDataDir();
  service = await startServiceProcess({ DATA_DIR: dataDir.path, DEMO: 'on' });
  await service.waitFor(/^The documentation:/);
  const printed = (pattern: RegExp) => pattern.exec(service.output())?.[1] ?? '';
  keys.apiKey = printed(/^ +(svc_sk_test_\w+)$/m);
  keys.companyKey = printed(/^ +(svc_ck_test_\w+)$/m);
});
afterAll(async () => {
  await service?.stop();
  killLeftovers();
  await dataDir?.remove();
});

/** These fields have the same values in every demo. */
const naming = ['object', 'company_id', 'status', 'code', 'access', 'failure'];

/** The types of a value and of all its parts, except for the fields above. */
function formOf(value: Json, name = ''): Json {
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => formOf(item));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, inside]) => [key, formOf(inside, key)]);
    return Object.fromEntries(entries);
  }
  return naming.includes(name) ? value : typeof value;
}

/** Only some accounts have a number, so items with the example's types move to the front. */
function withExampleFirst(body: Json, example: Json): Json {
  const [wanted] = Array.isArray(example?.data) ? example.data : [];
  if (wanted === undefined || !Array.isArray(body.data)) return body;
  const isLike = (item: Json) => isDeepStrictEqual(formOf(item), formOf(wanted));
  const rest = body.data.filter((item: Json) => !isLike(item));
  return { ...body, data: [...body.data.filter(isLike), ...rest] };
}

/** In the demo, no investor has read this company's data, and no webhook was sent. */
const isEmptyInDemo = (path: string) =>
  path.startsWith('/company/v1/access-records') || /\/deliveries\b/.test(path);

async function send({ method, path, headers, body }: CollectionRequest, key: string) {
  const answer = await fetch(service.url + path, {
    method,
    headers: { ...headers, authorization: `Bearer ${key}` },
    ...(body !== undefined && { body }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

const isRefusedInDemo = ({ path }: CollectionRequest) => path.endsWith('/replay');

/** GET /v1/reports is announced for a later version, so its example is an error. */
const isAnnounced = ({ path }: CollectionRequest) => path === '/v1/reports';

describe.each([
  ['/v1/openapi.json', 'apiKey'],
  ['/company/v1/openapi.json', 'companyKey'],
] as const)('%s imported into Postman', (documentPath, key) => {
  it('has requests that succeed in the given order, and the responses match their examples', async () => {
    const document = await (await fetch(service.url + documentPath)).json();
    const requests = requestsOf(await importToPostman(document));
    const operations = Object.values<Json>(document.paths).flatMap((item) => Object.keys(item));
    expect(requests).toHaveLength(operations.length);
    for (const request of requests) {
      const where = `${request.method} ${request.path}`;
      const { status, body } = await send(request, keys[key]);
      if (isRefusedInDemo(request)) {
        expect(body.error.code, where).toBe('webhook_delivery_not_found');
        continue;
      }
      const expected = request.answers.filter((answer) =>
        isAnnounced(request) ? answer.status === 501 : answer.status < 300,
      );
      expect(
        expected.map((answer) => answer.status),
        `${where}: ${JSON.stringify(body)}`,
      ).toContain(status);
      const example = expected.find((answer) => answer.status === status)?.body;
      if (isEmptyInDemo(request.path)) expect(body.data, where).toEqual([]);
      else expect(formOf(withExampleFirst(body, example)), where).toEqual(formOf(example));
    }
  });
});
