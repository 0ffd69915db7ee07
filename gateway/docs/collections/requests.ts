/** As much of an OpenAPI document of ours as a collection of requests is made of. */
export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly example: unknown } };
  };
  readonly responses: Readonly<Record<string, Response>>;
}

interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly description: string;
  readonly example: unknown;
}

interface Response {
  readonly description: string;
  readonly content?: { readonly 'application/json'?: { readonly example?: unknown } };
}

/** A value of a request, filled in with its example. */
export interface Field {
  readonly name: string;
  readonly value: string;
  readonly description: string;
}

/** One operation as a request that can be sent as it is. */
export interface SampleRequest {
  readonly name: string;
  readonly description: string;
  readonly method: string;
  /** With its parameters as `:name`. */
  readonly path: string;
  readonly pathFields: readonly Field[];
  readonly queryFields: readonly Field[];
  readonly headers: readonly Field[];
  /** JSON; null: it has none. */
  readonly body: string | null;
  readonly answers: readonly {
    readonly status: number;
    readonly name: string;
    readonly body: string;
  }[];
}

interface Folder {
  readonly name: string;
  readonly description: string;
  readonly requests: readonly SampleRequest[];
}

/** All operations of a document, by their tags, in its order. */
export function sampleRequests({ tags, paths }: OpenApiDocument): Folder[] {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
  return tags.map((tag) => ({
    ...tag,
    requests: operations
      .filter(({ operation }) => operation.tags.includes(tag.name))
      .map(({ method, path, operation }) => toRequest(method, path, operation)),
  }));
}

function toRequest(method: string, path: string, operation: Operation): SampleRequest {
  const { summary, description, parameters = [], requestBody } = operation;
  const fields = (place: Parameter['in']): Field[] =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, description, example }) => ({ name, value: String(example), description }));
  const content = requestBody?.content['application/json'];
  return {
    name: summary,
    description,
    method: method.toUpperCase(),
    path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    pathFields: fields('path'),
    queryFields: fields('query'),
    headers: [
      ...fields('header'),
      ...(content ? [{ name: 'Content-Type', value: 'application/json', description: '' }] : []),
    ],
    body: content ? toJson(content.example) : null,
    answers: Object.entries(operation.responses).flatMap(([status, { description, content }]) => {
      const example = content?.['application/json']?.example;
      if (example === undefined) return [];
      return [{ status: Number(status), name: description, body: toJson(example) }];
    }),
  };
}

const toJson = (value: unknown) => JSON.stringify(value, null, 2);
