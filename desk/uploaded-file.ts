import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProtocolError } from '#http';

/** A symbol, so it can't equal the name of a form field. */
const uploaded = Symbol('the uploaded file');

/** Parses forms with a file, on routes with a large enough limit. Writes nothing to disk. */
export function parseFileForms(app: FastifyInstance): void {
  app.addContentTypeParser<Buffer>(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async ({ headers }: FastifyRequest, body: Buffer): Promise<unknown> => {
      const malformed = (cause?: unknown) =>
        new ProtocolError('malformed_json', { message: 'The form is malformed.', cause });
      const boundary = boundaryOf(headers['content-type'] ?? '');
      if (boundary === null || !isSmall(body, boundary)) throw malformed();
      const type = `multipart/form-data; boundary="${boundary}"`;
      const sent = new Response(new Uint8Array(body), { headers: { 'content-type': type } });
      const entries = await sent.formData().catch((cause: unknown) => {
        throw malformed(cause);
      });
      const fields: Record<string | symbol, unknown> = Object.create(null);
      for (const [name, value] of entries) {
        if (typeof value === 'string') fields[name] = value;
        else {
          const bytes = new Uint8Array(await value.arrayBuffer());
          fields[uploaded] = { name: value.name, bytes } satisfies SentFile;
        }
      }
      return fields;
    },
  );
}

const boundaryOf = (type: string): string | null =>
  /;\s*boundary=(?:"([^"\\]+)"|([^\s;"\\]+))/i.exec(type)?.slice(1).find(Boolean) ?? null;

/** The form of an upload has three. */
const maxParts = 16;
const maxHeadBytes = 16 * 1024;

/** Limits what `formData` reads byte by byte: it holds up other callers until it has read all parts and their heads. */
function isSmall(body: Buffer, boundary: string): boolean {
  const mark = `--${boundary}`;
  let at = body.indexOf(mark);
  for (let parts = 0; at !== -1; parts += 1) {
    const next = body.indexOf(mark, at + mark.length);
    if (next !== -1 && parts >= maxParts) return false;
    const head = body.subarray(at, next === -1 ? body.length : next);
    if (head.length > maxHeadBytes && !head.subarray(0, maxHeadBytes).includes('\r\n\r\n'))
      return false;
    at = next;
  }
  return true;
}

interface SentFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The file of a form. Null if the user chose none. */
export function uploadedFile({ body }: Pick<FastifyRequest, 'body'>): SentFile | null {
  const file = (body as Readonly<Record<symbol, SentFile | undefined>>)[uploaded];
  return file === undefined || file.bytes.length === 0 ? null : file;
}
