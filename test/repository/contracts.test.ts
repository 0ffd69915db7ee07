import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { buildSchema, findBreakingChanges, resolveSchemaCoordinate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redocly } from '../openapi/redocly.ts';
import type { Json } from '../support/http-client.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (...path: string[]) => readFile(join(root, ...path), 'utf8');
const openApiFiles = ['investor.openapi.json', 'company.openapi.json'] as const;

const run = promisify(execFile);

/** Null before the first release, or if the clone has no tags. */
const released = await run('git', ['tag', '--list', 'v*', '--sort=-version:refname'], { cwd: root })
  .then(({ stdout }) => stdout.split('\n')[0] || null)
  .catch(() => null);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'contracts-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

if (released === null) {
  console.error('SKIPPED: the contracts of the last release: the repository has no tag v*');
}

describe('the published API contracts of the last release', () => {
  it.skipIf(released === null)(
    'are broken only in the places that the changelog lists',
    async () => {
      const tag = released ?? '';
      const path = 'graphql-adapter/schema.graphql';
      const breaks = [
        ...schemaBreaks(await readReleased(tag, path), await read(path)),
        ...(await Promise.all(openApiFiles.map((file) => breaksSince(tag, file)))).flat(),
      ];
      const changelog = await read('CHANGELOG.md');
      expect(namedBreaks(changelog, tag.slice(1))).toEqual([...new Set(breaks)].toSorted());
    },
  );
});

async function readReleased(tag: string, path: string): Promise<string> {
  const { stdout } = await run('git', ['show', `${tag}:${path}`], {
    cwd: root,
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout;
}

async function breaksSince(tag: string, file: (typeof openApiFiles)[number]): Promise<string[]> {
  const before = join(folder, file);
  await writeFile(before, await readReleased(tag, `rest-adapter/${file}`));
  return documentBreaks(before, join(root, 'rest-adapter', file));
}

describe('the comparison of the REST documents', () => {
  it('reports a break: something is removed, required, narrowed or of another type', async () => {
    const breaks = await breaksOf(({ paths, components: { schemas } }) => {
      delete paths['/v1/reports'];
      delete paths['/v1/access-requests/{id}'].delete;
      delete paths['/v1/companies'].get.responses['403'];
      const { parameters } = paths['/v1/companies'].get;
      parameters[0].schema.enum.pop();
      parameters.push({ in: 'query', name: 'tenant', required: true, schema: { type: 'string' } });
      schemas.AccessRequestCreation.properties.reason = { type: 'string' };
      schemas.AccessRequestCreation.required.push('reason');
      delete schemas.Metric.properties.raw_value;
      schemas.Company.properties.name.type = 'integer';
      schemas.Source.properties.provider.type = ['string', 'null'];
      schemas.AccessRequest.properties.status.enum.push('paused');
    });
    expect(breaks).toEqual([
      '/v1/reports',
      'DELETE /v1/access-requests/{id}',
      'GET /v1/access-requests 200.data.items.status',
      'GET /v1/companies 200.data.items.name',
      'GET /v1/companies 403',
      'GET /v1/companies parameters.access',
      'GET /v1/companies parameters.tenant',
      'GET /v1/companies/{id}/metrics 200.data.items.raw_value',
      'GET /v1/companies/{id}/sources 200.data.items.provider',
      'POST /v1/access-requests requestBody',
    ]);
  });

  it('doesn’t report an addition: a path, a parameter, a field, a status or a value in an open list', async () => {
    const breaks = await breaksOf(({ paths, components: { schemas } }) => {
      paths['/v1/more'] = structuredClone(paths['/v1/reports']);
      paths['/v1/companies'].get.parameters.push({
        in: 'query',
        name: 'tenant',
        schema: { type: 'string' },
      });
      paths['/v1/companies'].get.responses['409'] = { description: 'Another answer.' };
      schemas.AccessRequestCreation.properties.reason = { type: 'string' };
      schemas.Company.properties.tenant = { type: 'string' };
      schemas.Company.required.push('tenant');
      schemas.Error.properties.error.properties.code.anyOf[0].enum.push('tenant_not_found');
    });
    expect(breaks).toEqual([]);
  });
});

describe('the comparison of the GraphQL schema', () => {
  const before =
    'enum Mood { GOOD BAD } type Query { mood(at: Int): Mood!, old: Int, amount: Int }';

  it('reports a break: something is removed, required, narrowed or of another type', () => {
    const after = 'enum Mood { GOOD } type Query { mood(at: Int, of: ID!): Mood, amount: String }';
    expect(schemaBreaks(before, after)).toEqual([
      'Mood.BAD',
      'Query.amount',
      'Query.mood',
      'Query.mood(of:)',
      'Query.old',
    ]);
  });

  it('doesn’t report an addition: a type, a field, an argument or a value', () => {
    const after = before.replace('BAD', 'BAD MIXED').replace('at: Int', 'at: Int, of: ID');
    expect(schemaBreaks(before, `${after} type More { id: ID }`)).toEqual([]);
  });
});

/** Each break has a separate line in the changelog: "- **Breaking**: `GET /v1/reports` is gone". */
function namedBreaks(text: string, released: string): string[] {
  const unreleased = text.slice(text.indexOf('## [Unreleased]'), text.indexOf(`## [${released}]`));
  const lines = unreleased.split('\n').filter((line) => line.startsWith('- **Breaking**'));
  return lines
    .flatMap((line) => [...line.matchAll(/`(.+?)`/g)].map(([, place = '']) => place))
    .toSorted();
}

function schemaBreaks(before: string, after: string): string[] {
  const schemas = [buildSchema(before), buildSchema(after)];
  const isPlace = (word: string) =>
    schemas.some((schema) => resolveSchemaCoordinate(schema, word) !== undefined);
  return findBreakingChanges(buildSchema(before), buildSchema(after))
    .map(({ description }) => {
      const words = description.match(/@?\w[\w.]*(\(\w+:\))?/g) ?? [];
      return words.find(isPlace) ?? description;
    })
    .toSorted();
}

async function breaksOf(change: (document: Json) => void): Promise<string[]> {
  const before = join(root, 'rest-adapter', 'investor.openapi.json');
  const document = JSON.parse(await readFile(before, 'utf8'));
  change(document);
  const after = join(await mkdtemp(join(folder, 'changed-')), 'investor.openapi.json');
  await writeFile(after, JSON.stringify(document));
  return documentBreaks(before, after);
}

interface Change {
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly impact: 'major' | 'minor' | 'patch';
  readonly verdicts: readonly { readonly ruleId: string }[];
  readonly base?: { readonly pointer: string };
}

async function documentBreaks(before: string, after: string): Promise<string[]> {
  const [base, revision] = await Promise.all(
    [before, after].map(async (file) => JSON.parse(await readFile(file, 'utf8'))),
  );
  const options = ['--fail-on=none', '--lint-config=off'];
  const { changes }: { changes: Change[] } = await redocly(
    folder,
    'diff',
    before,
    after,
    ...options,
  );
  return changes
    .filter((change) => change.impact === 'major' && !growsOpenList(base, change))
    .map(({ path, kind }) => placeOf(path, kind === 'removed' ? base : revision))
    .toSorted();
}

/** True if the only change is a new value in an open list. docs/changes.md permits this change. */
function growsOpenList(document: Json, { verdicts, base }: Change): boolean {
  const list = tokensOf(base?.pointer ?? '');
  if (list.at(-3) !== 'anyOf') return false;
  const branches = valueAt(document, list.slice(0, -2));
  return (
    branches.some(({ type, enum: values }: Json) => type === 'string' && values === undefined) &&
    verdicts.every(({ ruleId }) => ruleId === 'enum-values-added')
  );
}

const tokensOf = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

const valueAt = (document: Json, tokens: readonly string[]): Json =>
  tokens.reduce((value, token) => value?.[token], document);

/**
 * `#/paths/~1v1~1companies/get/responses/200/content/application~1json/schema/properties/data` →
 * `GET /v1/companies 200.data`.
 */
function placeOf(pointer: string, document: Json): string {
  const [, path = '', method, ...within] = tokensOf(pointer);
  if (method === undefined) return path;
  const names = within.map((token, index) =>
    within[index - 1] === 'parameters'
      ? valueAt(document, ['paths', path, method, 'parameters', token]).name
      : token,
  );
  const told = names.filter(
    (name, index) =>
      !['responses', 'content', 'schema', 'properties', 'anyOf'].includes(name) &&
      !['content', 'anyOf'].includes(names[index - 1]),
  );
  return [`${method.toUpperCase()} ${path}`, told.join('.')].filter(Boolean).join(' ');
}
