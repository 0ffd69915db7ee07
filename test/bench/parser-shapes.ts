export type Shape = (bytes: number) => Buffer;

/** Fills the rest with spaces instead of a part of the unit, so that the input stays valid at each length. */
const repeat = (unit: string, before = '', after = ''): Shape => {
  const [head, tail] = [Buffer.from(before, 'latin1'), Buffer.from(after, 'latin1')];
  const each = Buffer.from(unit, 'latin1');
  return (bytes) => {
    const filled = Buffer.alloc(bytes, ' ');
    const end = bytes - tail.length - ((bytes - tail.length - head.length) % each.length);
    filled.fill(each, head.length, end);
    head.copy(filled);
    tail.copy(filled, bytes - tail.length);
    return filled;
  };
};

const nested = (open: string, close: string): Shape => {
  const size = open.length + close.length;
  return (bytes) => {
    const depth = Math.floor(bytes / size);
    return Buffer.from((open.repeat(depth) + close.repeat(depth)).padEnd(bytes));
  };
};

/** Pseudorandom bytes, which are the same in each run. */
const noise: Shape = (bytes) => {
  let state = 20_261_130;
  const random = Uint8Array.from({ length: bytes }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
  return Buffer.from(random);
};

const header = 'key,period,raw_value,source.system,source.method,source.last_synced\n';
const row = 'arr,2026-09-30,1.5,Ledger,file,2026-11-02T08:00:00Z\n';
const record = '{"type":"metric","key":"arr","period":"2026-09-30","raw_value":1.5}\n';

/** The input that a hostile caller may send. */
export const shapes: Readonly<Record<string, Shape>> = {
  'rows of CSV': repeat(row, header),
  'quotes below a header': repeat('"', header),
  'quotes and commas below a header': repeat('",', header),
  'broken quotes below a header': repeat('x"\n', header),
  'open quotes below a header': repeat('"x\n', header),
  'quotes broken in the next line, below a header': repeat('"a"b\nc"\n', header),
  'line feeds below a header': repeat('\n', header),
  'commas below a header': repeat(',', header),
  quotes: repeat('"'),
  'quotes and commas': repeat('",'),
  'a quote and commas': repeat(',', '"'),
  'quotes and semicolons': repeat('";'),
  'three quotes a line': repeat('"""\n'),
  'one quote a line': repeat('"\n'),
  'line feeds': repeat('\n'),
  'carriage returns': repeat('\r'),
  CRLF: repeat('\r\n'),
  commas: repeat(','),
  'commas and letters': repeat('a,'),
  semicolons: repeat(';'),
  'quality values': repeat('a;q=0.1,'),
  'media types': repeat('text/csv;q=0.1,'),
  'media types with parameters': repeat(';a="b\\"c"', 'text/csv'),
  cookies: repeat('a=b; '),
  spaces: repeat(' '),
  tabs: repeat('\t'),
  'a word and spaces': repeat(' ', 'Bearer '),
  'open brackets': repeat('['),
  'nested lists': nested('[', ']'),
  'open objects': repeat('{"a":'),
  'nested objects': nested('{"a":', '}'),
  'open braces': repeat('{'),
  'a list of zeros': repeat(',0', '[0', ']'),
  'a list of objects': repeat(',{}', '[{}', ']'),
  'names of an object': repeat(',"a":1', '{"a":1', '}'),
  records: repeat(record),
  digits: repeat('1'),
  zeros: repeat('0'),
  'a long amount': repeat('1', '{"raw_value":', '}'),
  'a long fraction': repeat('0', '{"raw_value":0.', '1}'),
  'zeros after the point': repeat('0', '1.'),
  'a long exponent': repeat('1', '1e'),
  escapes: repeat('\\u0041', '"', '"'),
  backslashes: repeat('\\'),
  'escaped quotes': repeat('\\"', '"', '"'),
  'spaces after a text': repeat(' ', '{"a"', ':1}'),
  ampersands: repeat('&'),
  'empty parameters': repeat('&='),
  parameters: repeat('&a=b', 'a=b'),
  'the same parameter': repeat('&keys=arr', 'keys=arr'),
  percents: repeat('%'),
  'percents of percents': repeat('25', '%'),
  'encoded letters': repeat('%41'),
  'encoded bytes that are no UTF-8': repeat('%ff'),
  'plus signs': repeat('+'),
  dots: repeat('.'),
  'three parts': repeat('A', 'eyJhbGciOiJFZERTQSJ9.', '.AAAA'),
  'a long signature': repeat('A', 'eyJhbGciOiJFZERTQSJ9.e30.'),
  'letters of base64url': repeat('A'),
  'odd letters of base64url': repeat('_-'),
  padding: repeat('='),
  slashes: repeat('/'),
  hyphens: repeat('-'),
  colons: repeat(':'),
  'beginnings of keys': repeat('svc_'),
  'boundaries of a form': repeat('\r\n--x'),
  'parts of a form': repeat(
    '\r\n--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb',
    '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb',
  ),
  'fields of GraphQL': repeat(' a', '{', '}'),
  'nested fields of GraphQL': nested('{a', '}'),
  'fragments of GraphQL': repeat(' ...a', '{', '}'),
  'block strings': repeat('"""'),
  'comments of GraphQL': repeat('#\n'),
  'empty elements': repeat('<a/>', '<a>', '</a>'),
  'nested elements': nested('<a>', '</a>'),
  'open elements': repeat('<a>'),
  'open angle brackets': repeat('<'),
  'attributes of an element': repeat(' a="b"', '<a', '/>'),
  'spaces in an element': repeat(' ', '<a', '/>'),
  'entities of XML': repeat('&amp;', '<t>', '</t>'),
  'open entity': repeat('a', '<t>&'),
  'comments of XML': repeat('<!---->', '<a>', '</a>'),
  'open comment': repeat('-', '<!--'),
  'parts of CDATA': repeat('<![CDATA[]]>', '<t>', '</t>'),
  'rows of a sheet': repeat(
    '<row><c t="inlineStr"><is><t>arr</t></is></c><c><v>1.5</v></c></row>',
    '<a>',
    '</a>',
  ),
  'cells of a row': repeat('<c><v>1</v></c>', '<a><row>', '</row></a>'),
  'a long cell': repeat('1', '<a><row><c><v>', '</v></c></row></a>'),
  'shared texts': repeat('<si><t>a</t></si>', '<a>', '</a>'),
  'a long number format': repeat('0', '<a><numFmt numFmtId="200" formatCode="', '"/></a>'),
  'quotes of a number format': repeat('&quot;', '<a><numFmt formatCode="', '"/></a>'),
  'number formats': repeat('<numFmt numFmtId="200" formatCode="0.0%"/>', '<a>', '</a>'),
  'headers of a zip file': repeat('PK\x03\x04'),
  'ends of a zip file': repeat('PK\x05\x06'),
  'byte-order marks': repeat('\u00ef\u00bb\u00bf'),
  NULs: repeat('\0'),
  'bytes that are no UTF-8': repeat('\u00ff'),
  'half characters of UTF-8': repeat('\u00c3'),
  'UTF-16 with a byte too few': repeat('a\0', '\u00ff\u00fe', 'a'),
  'halves of surrogate pairs in UTF-16': repeat('\0\u00d8', '\u00ff\u00fe'),
  noise,
};
