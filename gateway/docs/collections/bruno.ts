import { hash } from 'node:crypto';
import {
  type Field,
  type OpenApiDocument,
  type SampleRequest,
  sampleRequests,
} from './requests.ts';

/** A collection for Bruno, in the form of its own exports, of all requests of a document. */
export function toBruno(document: OpenApiDocument): object {
  const { info, servers } = document;
  const uid = (...names: string[]) => createUid([info.title, ...names].join('\n'));
  const variable = (name: string, value: string, secret: boolean) => {
    return { uid: uid('variable', name), name, value, secret, type: 'text', enabled: true };
  };
  return {
    version: '1',
    uid: uid(),
    name: info.title,
    items: sampleRequests(document).map(({ name, description, requests }, folder) => ({
      uid: uid('folder', name),
      type: 'folder',
      name,
      seq: folder + 1,
      root: { docs: description, meta: { name, seq: folder + 1 } },
      items: requests.map((request, index) =>
        toItem(request, index + 1, (...names) => uid(request.method, request.path, ...names)),
      ),
    })),
    environments: [
      {
        uid: uid('environment'),
        name: 'Service',
        variables: [
          variable('baseUrl', servers[0]?.url ?? '', false),
          // A secret one stays on the machine of whoever fills it in.
          variable('key', '', true),
        ],
      },
    ],
    root: {
      docs: info.description,
      request: { auth: { mode: 'bearer', bearer: { token: '{{key}}' } } },
    },
    brunoConfig: { version: '1', name: info.title, type: 'collection' },
  };
}

function toItem(request: SampleRequest, seq: number, uid: (...names: string[]) => string): object {
  const { name, description, method, path, body, pathFields, queryFields } = request;
  const pairs = (place: string, fields: readonly Field[]) =>
    fields.map((field) => ({ uid: uid(place, field.name), ...field, enabled: true }));
  const typed = (type: 'path' | 'query', fields: readonly Field[]) =>
    pairs(type, fields).map((field) => ({ ...field, type }));
  const query = new URLSearchParams(queryFields.map((field) => [field.name, field.value]));
  return {
    uid: uid(),
    type: 'http-request',
    name,
    seq,
    request: {
      url: `{{baseUrl}}${path}${query.size === 0 ? '' : `?${query}`}`,
      method,
      headers: pairs('header', request.headers),
      params: [...typed('query', queryFields), ...typed('path', pathFields)],
      auth: { mode: 'inherit' },
      body: body === null ? { mode: 'none' } : { mode: 'json', json: body },
      script: {},
      docs: description,
    },
  };
}

/** As long as Bruno wants it, and the same each time. */
const createUid = (text: string) => hash('sha256', text, 'hex').slice(0, 21);
