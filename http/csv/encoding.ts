/** Thrown if the file can't be read. The message gives the reason. */
export class UnreadableFile extends Error {}

export const encodings = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'latin-1',
  'macintosh',
] as const;

export type Encoding = (typeof encodings)[number];

interface Decoder {
  decode(chunk: Uint8Array): string;
  end(): string;
}

interface DecodedText {
  readonly text: string;
  readonly encoding: Encoding;
}

/** UTF-32 comes first, because its little-endian byte-order mark starts with the mark of UTF-16. */
const byteOrderMarks = [
  ['UTF-32', [0xff, 0xfe, 0, 0]],
  ['UTF-32', [0, 0, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
] as const;

const longestMark = 4;

/**
 * Decodes a file. Uses the byte-order mark, then the declared encoding, then UTF-8. Invalid bytes become U+FFFD.
 *
 * @throws UnreadableFile if the mark contradicts the declared encoding, or the file is UTF-32 or UTF-16 without a mark
 */
export async function* decodeText(
  chunks: AsyncIterable<Uint8Array>,
  declared: Encoding | undefined,
): AsyncGenerator<DecodedText> {
  let head: Uint8Array | null = new Uint8Array();
  let encoding: Encoding = 'utf-8';
  let decoder = createDecoder(encoding);
  const begin = (bytes: Uint8Array): void => {
    encoding = encodingOf(bytes, declared);
    decoder = createDecoder(encoding);
    head = null;
  };
  for await (const chunk of chunks) {
    const bytes: Uint8Array = head === null ? chunk : Buffer.concat([head, chunk]);
    if (head !== null && bytes.length < longestMark) {
      head = bytes;
      continue;
    }
    if (head !== null) begin(bytes);
    yield { text: decoder.decode(bytes), encoding };
  }
  if (head !== null) {
    const rest = head;
    begin(rest);
    yield { text: decoder.decode(rest), encoding };
  }
  yield { text: decoder.end(), encoding };
}

export const readByteOrderMark = (head: Uint8Array) =>
  byteOrderMarks.find(([, mark]) => mark.every((byte, at) => head[at] === byte))?.[0];

function encodingOf(head: Uint8Array, declared: Encoding | undefined): Encoding {
  const marked = readByteOrderMark(head);
  if (marked === 'UTF-32') throw refuse('is UTF-32, which is not supported: save it as UTF-8');
  if (marked !== undefined && declared !== undefined && marked !== declared) {
    throw refuse(`begins with the byte-order mark of ${marked}, but its mapping says ${declared}`);
  }
  const encoding = marked ?? declared ?? 'utf-8';
  if (encoding === 'utf-8' && head.includes(0)) {
    throw refuse(
      'contains NUL bytes, as UTF-16 does: name the encoding in its mapping, like "encoding": "utf-16le"',
    );
  }
  return encoding;
}

const refuse = (reason: string) => new UnreadableFile(`the file ${reason}`);

function createDecoder(encoding: Encoding): Decoder {
  if (encoding === 'latin-1') {
    // TextDecoder can't be used, because it reads latin1 as windows-1252.
    return {
      decode: (chunk) =>
        Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1'),
      end: () => '',
    };
  }
  const decoder = new TextDecoder(encoding);
  return {
    decode: (chunk) => decoder.decode(chunk, { stream: true }),
    end: () => decoder.decode(),
  };
}

/** Describes a character that shows a wrong encoding. Returns null if the text contains no such character. */
export function findUnreadableCharacter(text: string, encoding: Encoding): string | null {
  if (encoding === 'windows-1252' || encoding === 'latin-1') {
    if (!/[\u0080-\u009f]/.test(text)) return null;
    const hint = encoding === 'latin-1' ? '; windows-1252 may be meant' : '';
    return `contains a byte that isn't a character of ${encoding}${hint}`;
  }
  if (!text.includes('\ufffd')) return null;
  return encoding === 'utf-8'
    ? 'is not valid UTF-8; another encoding must be named in the mapping, like "encoding": "windows-1252"'
    : 'is not valid UTF-16';
}
