import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { closeDocument } from './closed-document.ts';
import type { Answer, Json } from './http-client.ts';

export interface OpenApiRules {
  check(answer: Answer): void;
}

const known = new Map<string, OpenApiRules>();

/** Compiling the schemas takes longer than many tests, so all test files of a process share them. */
export function openApiRules(served: Json): OpenApiRules {
  return known.getOrInsertComputed(JSON.stringify(served), () => createOpenApiRules(served));
}

function createOpenApiRules(served: Json): OpenApiRules {
  const document = closeDocument(served);
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'openapi.json');
  const validators = new Map<string, ValidateFunction>();
  const ofHeaders = new WeakMap<object, ValidateFunction>();

  function validatorOf(pointer: readonly string[]): ValidateFunction {
    const reference = `openapi.json#/${pointer.map(escapePointer).join('/')}`;
    const found = validators.get(reference) ?? ajv.compile({ $ref: reference });
    validators.set(reference, found);
    return found;
  }

  function validate(pointer: readonly string[], value: unknown, what: string): void {
    const validator = validatorOf(pointer);
    assert.ok(validator(value), `${what}: ${ajv.errorsText(validator.errors)}`);
  }

  return {
    check(answer) {
      const { method, status, headers, body } = answer;
      const path = answer.path.replace(/\?.*$/s, '');
      const where = `${method} ${path.slice(0, 200)} → ${status}`;
      const code: unknown = body?.error?.code;
      const template = pathTemplate(document, path);
      const verb = (method === 'HEAD' ? 'get' : method).toLowerCase();
      const operation = template === undefined ? undefined : document.paths[template][verb];
      // For an unknown path or a malformed request, only the common form of errors is checked.
      if (operation === undefined || [408, 431].includes(status)) {
        if (body !== undefined && status >= 400 && !path.startsWith('/readyz')) {
          validate(['components', 'schemas', 'Error'], body, where);
        }
        return;
      }
      const described = operation.responses[String(status)];
      assert.ok(
        described !== undefined,
        `${where}: the status is not documented (${code ?? 'no code'})`,
      );
      const pointer = described.$ref
        ? pointerOf(described.$ref)
        : ['paths', template as string, verb, 'responses', String(status)];
      const response = dereference(document, described);
      if (method !== 'HEAD' && status !== 204 && status !== 304) {
        assert.match(headers['content-type'] ?? '', /^application\/json\b/, where);
        validate([...pointer, 'content', 'application/json', 'schema'], body, where);
      }
      checkHeaders(response.headers ?? {}, answer, where);
    },
  };

  function checkHeaders(documented: Json, { headers }: Answer, where: string): void {
    const names = Object.keys(documented).map((name) => name.toLowerCase());
    for (const [name, described] of Object.entries<Json>(documented)) {
      const header = dereference(document, described);
      const value = headers[name.toLowerCase()];
      assert.ok(value !== undefined || header.required !== true, `${where}: ${name} is missing`);
      if (value === undefined) continue;
      const isNumber = header.schema?.type === 'integer';
      const validator = ofHeaders.get(header) ?? ajv.compile({ ...header.schema });
      ofHeaders.set(header, validator);
      assert.ok(validator(isNumber ? Number(value) : value), `${where}: ${name} is ${value}`);
    }
    for (const name of ['idempotent-replayed', 'retry-after', 'www-authenticate']) {
      assert.ok(!(name in headers) || names.includes(name), `${where}: ${name} is not documented`);
    }
  }
}

const pointerOf = (reference: string): string[] =>
  reference
    .replace(/^#\//, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

export function dereference(document: Json, node: Json): Json {
  if (node.$ref === undefined) return node;
  return pointerOf(node.$ref).reduce((found, part) => found[part], document);
}

/** As OpenAPI defines, a path without parameters comes first. */
function pathTemplate(document: Json, path: string): string | undefined {
  const templates = Object.keys(document.paths);
  if (templates.includes(path)) return path;
  return templates.find((template) => {
    const pattern = template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+');
    return new RegExp(`^${pattern}$`).test(path);
  });
}

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
