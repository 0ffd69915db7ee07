import { STATUS_CODES } from 'node:http';
import {
  type Field,
  type OpenApiDocument,
  type SampleRequest,
  sampleRequests,
} from './requests.ts';

/** A collection for Postman (format 2.1) of all requests of a document. */
export function toPostman(document: OpenApiDocument): object {
  const { info, servers } = document;
  return {
    info: {
      name: info.title,
      description: info.description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{key}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: servers[0]?.url, type: 'string' },
      { key: 'key', value: '', type: 'string', description: 'The key that every request sends.' },
    ],
    item: sampleRequests(document).map(({ name, description, requests }) => ({
      name,
      description,
      item: requests.map(toItem),
    })),
  };
}

function toItem(request: SampleRequest): object {
  const { name, description, method, body, answers } = request;
  const sent = {
    method,
    description,
    header: request.headers.map(toPair),
    url: toUrl(request),
    ...(body !== null && {
      body: { mode: 'raw', raw: body, options: { raw: { language: 'json' } } },
    }),
  };
  return {
    name,
    request: sent,
    response: answers.map((answer) => ({
      name: answer.name,
      originalRequest: sent,
      status: STATUS_CODES[answer.status],
      code: answer.status,
      header: [{ key: 'Content-Type', value: 'application/json' }],
      body: answer.body,
      _postman_previewlanguage: 'json',
    })),
  };
}

function toUrl({ path, pathFields, queryFields }: SampleRequest): object {
  const query = queryFields.map(({ name, value }) => `${name}=${value}`).join('&');
  return {
    raw: `{{baseUrl}}${path}${query === '' ? '' : `?${query}`}`,
    host: ['{{baseUrl}}'],
    path: path.split('/').slice(1),
    query: queryFields.map(toPair),
    variable: pathFields.map(toPair),
  };
}

const toPair = ({ name, value, description }: Field) => ({ key: name, value, description });
