import { generateKeyPairSync, hash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import formbody from '@fastify/formbody';
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify';
import { strToU8, zipSync } from 'fflate';
import { type DocumentNode, type GraphQLSchema, specifiedRules } from 'graphql';
import { LineReader } from '../../cli/import/line-reader.ts';
import {
  type Cryptography,
  parseDecimal,
  parseImportRecord,
  type UpstreamSigner,
} from '../../core/index.ts';
import { readPortfolioCursor } from '../../core/model/company-data/portfolio-cursor.ts';
import { readCursor } from '../../core/model/cursor.ts';
import { isTokenShaped } from '../../core/model/identity/access-token.ts';
import { base64url, openJws } from '../../core/model/proof/jws.ts';
import { isPlainText, isStorable } from '../../core/model/text.ts';
import { readUpload, unpackFile } from '../../desk/company/data/file.ts';
import { parseFileForms, readForm } from '../../desk/form.ts';
import { findLanguage } from '../../desk/messages/index.ts';
import { readCredential } from '../../gateway/http/admission.ts';
import { checkHeaders, refuseBody } from '../../gateway/http/request-headers.ts';
import { escapeControls } from '../../gateway/logs/escape-controls.ts';
import { redactKeys } from '../../gateway/logs/redact-keys.ts';
import { createJwsVerifier } from '../../gateway/signing/jws-verifier.ts';
import { parseTraceparent } from '../../gateway/tracing/trace-context.ts';
import { useBounds } from '../../graphql-adapter/limits/bounds.ts';
import { readNodeId } from '../../graphql-adapter/node-ids.ts';
import { createGraphqlSchema } from '../../graphql-adapter/schema/index.ts';
import { defaultBounds } from '../../graphql-adapter/settings.ts';
import type { Encoding } from '../../http/csv/encoding.ts';
import { readTable } from '../../http/csv/table.ts';
import { acceptedEncoding } from '../../http/encoding.ts';
import { parseJsonBody, parseRecordLines } from '../../http/json-body.ts';
import { checkNames } from '../../http/known-names.ts';
import { readSessionCookie } from '../../http/session-cookie.ts';
import { parseWorkbook } from '../../http/sheets/parse-workbook.ts';
import { checkMessage } from '../../mcp-adapter/check-message.ts';
import { wantsEvents } from '../../rest-adapter/event-stream.ts';
import { readCalls } from '../../trpc-adapter/calls.ts';

/** Parses bytes in the same way as some part of the service. May throw. */
export type Parser = (bytes: Buffer) => unknown;

const ofText =
  (parse: (text: string) => unknown): Parser =>
  (bytes) =>
    parse(bytes.toString());

const ofHeader =
  (name: string, parse: (request: FastifyRequest) => unknown): Parser =>
  (bytes) => {
    const value = bytes.toString('latin1');
    const headers = { host: 'a', [name]: value };
    const raw = { headers, rawHeaders: ['Host', 'a', name, value], httpVersionMinor: 1 };
    return parse({ method: 'POST', headers, raw, query: {}, params: {} } as never);
  };

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

const csv =
  (delimiter: string, encoding?: Encoding): Parser =>
  async (bytes) => {
    const options = { delimiter, quote: '"', skipLines: 0, hasHeader: false, encoding };
    for await (const _row of readTable(piecesOf(bytes), options));
  };

/** Creates a parser of HTTP bodies. `register` adds the part of the service that handles the bodies. */
async function bodies(
  register: (app: FastifyInstance) => unknown,
  type: string,
  wrap = (bytes: Buffer) => bytes,
): Promise<Parser> {
  const app = fastify({ bodyLimit: 64 * 1024 * 1024 });
  await register(app);
  app.post('/', { config: { acceptsRecords: true } }, async () => '');
  app.get('/', async () => '');
  await app.ready();
  return (bytes) =>
    app.inject({
      method: 'POST',
      url: '/',
      headers: { 'content-type': type },
      payload: wrap(bytes),
    });
}

const formType = 'multipart/form-data; boundary=x';
const asFile = (bytes: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from('--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'),
    bytes,
    Buffer.from('\r\n--x--\r\n'),
  ]);

async function queryStrings(): Promise<Parser> {
  const app = fastify();
  app.get('/', async ({ query }) => {
    checkNames(query as object, ['keys', 'limit', 'cursor']);
    return '';
  });
  await app.ready();
  return ofText((text) => app.inject({ url: `/?${text.replaceAll(/[^\x21-\x7e]/g, '+')}` }));
}

const { publicKey } = generateKeyPairSync('ed25519');
const jwk = publicKey.export({ format: 'jwk' }) as UpstreamSigner['jwk'];
const verifier = createJwsVerifier();
const part = (bytes: Buffer): string => base64url(bytes);
const protectedHeader = part(Buffer.from('{"alg":"EdDSA","kid":"a"}'));

function graphql(): Parser {
  const schema = createGraphqlSchema();
  let parse: (source: string) => DocumentNode = () => ({}) as never;
  let validate: (...given: [GraphQLSchema, DocumentNode, unknown]) => unknown = () => null;
  const plugin = useBounds(defaultBounds);
  plugin.onParse?.({ setParseFn: (given: typeof parse) => (parse = given) } as never);
  plugin.onValidate?.({
    context: { mayIntrospect: true },
    addValidationRule: () => undefined,
    setValidationFn: (given: typeof validate) => (validate = given),
  } as never);
  return ofText((text) => validate(schema as never, parse(text), specifiedRules));
}

const cryptography = { sha256: (text: string) => hash('sha256', text, 'hex') } as Cryptography;

const metric = {
  type: 'metric',
  company_id: 'co_1',
  period: '2026-09-30',
  raw_value: JSON.rawJSON('1'),
};
const sources = { system: 'a', method: 'a', last_synced: '2026-11-02T08:00:00Z' };

const uploaded = (bytes: Uint8Array) => ({
  bytes,
  name: 'figures.csv',
  uploadedAt: new Date(),
  answers: {},
  sheet: null,
});
const knowsNothing = async () => [];

const parts = ['worksheet', 'sharedStrings', 'styles'] as const;
const relationships = (list: readonly string[]) =>
  `<Relationships>${list.map((type) => `<Relationship Id="${type}" Type="/${type}" Target="${type}.xml"/>`).join('')}</Relationships>`;

const workbook =
  (part: (typeof parts)[number]): Parser =>
  (bytes) => {
    const zip = zipSync(
      {
        '_rels/.rels': strToU8(relationships(['officeDocument'])),
        'officeDocument.xml': strToU8(
          '<workbook xmlns:r="r"><sheets><sheet name="A" r:id="worksheet"/></sheets></workbook>',
        ),
        '_rels/officeDocument.xml.rels': strToU8(relationships(parts)),
        ...Object.fromEntries(parts.map((name) => [`${name}.xml`, strToU8('<a/>')])),
        [`${part}.xml`]: bytes,
      },
      { level: 0 },
    );
    return readWorkbook(zip);
  };

const readWorkbook = (bytes: Uint8Array) =>
  parseWorkbook({ bytes, sheet: null, maxRows: 10_000 }, () => undefined);

export async function createParsers(): Promise<Readonly<Record<string, Parser>>> {
  return {
    'CSV, commas': csv(','),
    'CSV, semicolons, UTF-16': csv(';', 'utf-16le'),
    'CSV, windows-1252': csv(',', 'windows-1252'),
    'upload at the desk': (bytes) => readUpload(uploaded(bytes), 'co_bench', knowsNothing),
    'kept file of the desk': (bytes) => unpackFile(bytes.toString('latin1')),
    'kept file of the desk, unpacked': async (bytes) => {
      const file = await unpackFile(deflateRawSync(bytes, { level: 1 }).toString('base64url'));
      return file && readUpload(uploaded(file), 'co_bench', knowsNothing);
    },
    'sheet of a workbook': workbook('worksheet'),
    'texts of a workbook': workbook('sharedStrings'),
    'formats of a workbook': workbook('styles'),
    'zip file of a workbook': readWorkbook,
    'multipart form': await bodies(parseFileForms, formType),
    'file of a multipart form': await bodies(parseFileForms, formType, asFile),
    'form body': await bodies((app) => app.register(formbody), 'application/x-www-form-urlencoded'),
    'field of a form': ofText((text) => readForm({ body: { a: text } }).text('a')),
    'JSON body of records': await bodies(parseJsonBody, 'application/json'),
    'NDJSON body of records': await bodies(parseRecordLines, 'application/x-ndjson'),
    'lines of an import': async (bytes) => {
      for await (const _line of new LineReader(piecesOf(bytes)));
    },
    'texts of a record': ofText((text) =>
      parseImportRecord(
        { ...metric, key: text, label: text, currency: text, value: text, as_of: text, source: {} },
        cryptography,
      ),
    ),
    'source of a record': ofText((text) =>
      parseImportRecord(
        { ...metric, key: 'arr', source: { ...sources, system: text, signature: text } },
        cryptography,
      ),
    ),
    amount: ofText(parseDecimal),
    'plain text': ofText((text) => isPlainText(text) && isStorable(text)),
    JWS: ofText(openJws),
    'payload of a JWS': (bytes) => openJws(`${protectedHeader}.${part(bytes)}.AAAA`),
    'header of a JWS': (bytes) => openJws(`${part(bytes)}.e30.AAAA`),
    'verification of a JWS': ofText((text) => verifier.verify(text, jwk)),
    'verification of a payload': (bytes) =>
      verifier.verify(`${protectedHeader}.${part(bytes)}.${'A'.repeat(86)}`, jwk),
    'form of a token': ofText(isTokenShaped),
    cursor: ofText((text) => readCursor(text)),
    'cursor of a portfolio': ofText((text) => readPortfolioCursor(text, 'name', 'after')),
    'node id': ofText(readNodeId),
    'query string': await queryStrings(),
    'path of a tRPC batch': ofText((text) =>
      readCalls({
        method: 'GET',
        headers: {},
        params: { '*': text },
        query: { batch: '1' },
      } as never),
    ),
    'GraphQL document': graphql(),
    'MCP message': ofText((text) => checkMessage(JSON.parse(text))),
    'Accept-Encoding': ofHeader('accept-encoding', acceptedEncoding),
    Accept: ofHeader('accept', (request) => wantsEvents({ ...request, method: 'GET' } as never)),
    'Accept-Language': (bytes) => findLanguage(undefined, bytes.toString('latin1')),
    Authorization: ofHeader('authorization', (request) =>
      readCredential({ ...request, routeOptions: { config: {} } } as never, 'https://a'),
    ),
    Cookie: ofHeader('cookie', (request) => readSessionCookie(request, 'https://a')),
    Host: ofHeader('host', checkHeaders),
    'Content-Type': ofHeader('content-type', refuseBody),
    'Content-Encoding': ofHeader('content-encoding', refuseBody),
    traceparent: ofText(parseTraceparent),
    'address in the log': ofText(redactKeys),
    'text in a terminal': ofText(escapeControls),
  };
}
