import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addDays } from '#core';
import { ProtocolError } from '#http';

export interface Form {
  /** Undefined if the field wasn't sent or is empty. Line ends are normalised to LF. */
  text(name: string): string | undefined;
  all(name: string): string[];
}

export function readForm({ body }: Pick<FastifyRequest, 'body'>): Form {
  const fields = (body ?? {}) as Readonly<Record<string, string | string[]>>;
  const all = (name: string): string[] =>
    Object.hasOwn(fields, name) ? [fields[name] ?? []].flat() : [];
  return {
    all,
    text: (name) => all(name)[0]?.replaceAll('\r\n', '\n').trim() || undefined,
  };
}

/** The key of the uploaded file among the fields. A symbol can't equal the name of a form field. */
const uploaded = Symbol('the uploaded file');

/** Only for routes with a large enough size limit. The file stays in memory, not on disk. */
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

/** The maximum number of parts. An upload form has only three. */
const maxParts = 16;
const maxHeadBytes = 16 * 1024;

/** Returns true if the form has few parts with short headers. Parsing headers is slow and blocks other work. */
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

/** Returns null if the user chose no file. */
export function uploadedFile({ body }: Pick<FastifyRequest, 'body'>): SentFile | null {
  const file = (body as Readonly<Record<symbol, SentFile | undefined>>)[uploaded];
  return file === undefined || file.bytes.length === 0 ? null : file;
}

/**
 * A chosen date means the end of that date in UTC, so that pages can show only the date. The confirmation page sends an
 * exact time.
 *
 * @param from the time to which a chosen number of days is added
 */
export function readEnd(form: Form, from: Date): Date | null {
  const exact = form.text('expires_at');
  if (exact !== undefined) return toDate(exact);
  const until = form.text('until') ?? '';
  if (/^[1-9]\d{0,4}$/.test(until))
    return toDate(`${toDay(addDays(from, Number(until)))}${endOfDay}`);
  const date = form.text('date');
  return until === 'date' && date !== undefined && /^\d{4}-\d\d-\d\d$/.test(date)
    ? toDate(`${date}${endOfDay}`)
    : null;
}

const endOfDay = 'T23:59:59.999Z';

function toDate(text: string): Date | null {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? null : date;
}

export const toDay = (instant: Date): string => instant.toISOString().slice(0, 10);
