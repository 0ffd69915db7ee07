import { promisify } from 'node:util';
import converter from 'openapi-to-postmanv2';
import type { Json } from '../support/http-client.ts';

/** Values replace the collection's variables. */
export interface CollectionRequest {
  readonly name: string;
  readonly method: string;
  /** The path below the base URL, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly answers: readonly { readonly status: number; readonly body: Json }[];
}

interface Converter {
  convertV2(
    source: { readonly type: 'json'; readonly data: Json },
    options: Readonly<Record<string, unknown>>,
    done: (error: unknown, told: Json) => void,
  ): void;
}

const { convertV2 } = converter as Converter;

export async function importToPostman(document: Json): Promise<Json> {
  const source = { type: 'json', data: structuredClone(document) } as const;
  const told = await promisify(convertV2)(source, { parametersResolution: 'Example' });
  if (!told.result) throw new Error(told.reason);
  return told.output[0].data;
}

export function requestsOf({ item }: Json): CollectionRequest[] {
  return item.flatMap((each: Json) => (each.item ? requestsOf(each) : [toRequest(each)]));
}

function toRequest({ name, request, response = [] }: Json): CollectionRequest {
  const { method, url, header = [], body } = request;
  const values = new Map<string, string>(
    (url.variable ?? []).map(({ key, value }: Json) => [`:${key}`, value]),
  );
  const path = url.path.map((part: string) => encodeURIComponent(values.get(part) ?? part));
  const enabled = (list: Json[] = []) => list.filter(({ disabled }) => !disabled);
  const query = new URLSearchParams(enabled(url.query).map(({ key, value }) => [key, value]));
  return {
    name,
    method,
    path: `/${path.join('/')}${query.size > 0 ? `?${query}` : ''}`,
    headers: Object.fromEntries(
      enabled(header).map(({ key, value }) => [key.toLowerCase(), value]),
    ),
    body: body?.raw,
    answers: response.map(({ code, body: text }: Json) => ({
      status: code,
      body: text ? JSON.parse(text) : undefined,
    })),
  };
}
