import { Parser } from 'csv-parse';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readTable } from '../../http/csv/table.ts';
import { propertyRuns } from '../support/property-runs.ts';

interface Internals {
  readonly api: { __needMoreData(...given: unknown[]): boolean };
}

let steps = 0;

/** csv-parse calls `__needMoreData` once for each byte that it reads. */
function countSteps(): void {
  const { _transform: transform } = Parser.prototype;
  const seen = new WeakSet<Parser>();
  vi.spyOn(Parser.prototype, '_transform').mockImplementation(function (this: Parser, ...given) {
    const { api } = this as unknown as Internals;
    if (!seen.has(this)) {
      const needMoreData = api.__needMoreData;
      api.__needMoreData = (...asked) => {
        steps += 1;
        return needMoreData.apply(api, asked);
      };
    }
    seen.add(this);
    transform.apply(this, given);
  });
}

async function read(bytes: Uint8Array): Promise<void> {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
  }
  const options = { delimiter: ',', quote: '"', skipLines: 0, hasHeader: false };
  await Array.fromAsync(readTable(pieces(), options)).catch(() => []);
}

/** Two steps per byte, plus the bytes that the parser reads ahead at the end of a row or piece. */
const allowed = (bytes: Uint8Array): number => 2 * bytes.length + 8;

const shapes = ['"', '",', ',"', 'a"\n', '"a"b\nc"\n', '"a\n', '"""\n', '\n', '\r', '\r\n', ','];

test('other callers get a turn after each 16 KiB of a file, and after 20 broken rows', async () => {
  const turnsDuring = async (text: string): Promise<number> => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await read(Buffer.from(text));
    isDone = true;
    return turns;
  };
  expect(await turnsDuring('a,b\n'.repeat(32_768))).toBeGreaterThanOrEqual(8);
  expect(await turnsDuring(`a,b\n${'x"\n'.repeat(1_000)}`)).toBeGreaterThanOrEqual(50);
});

describe('the steps of the CSV parser', () => {
  beforeEach(() => {
    steps = 0;
    countSteps();
  });
  afterEach(() => void vi.restoreAllMocks());

  test.each(shapes)('are at most two per byte for a file of many %j', async (shape) => {
    const bytes = Buffer.from(`a,b\n${shape.repeat(2_000)}`);
    await read(bytes);
    expect(steps).toBeGreaterThan(0);
    expect(steps).toBeLessThanOrEqual(allowed(bytes));
  });

  test('are at most two per byte for a file of any bytes', async () => {
    const line = fc.array(fc.constantFrom('"', '"', ',', 'a', '""', '\r', 'é'), { maxLength: 6 });
    const lines = fc.array(
      line.map((parts) => parts.join('')),
      { maxLength: 60 },
    );
    const property = fc.asyncProperty(
      lines,
      fc.constantFrom('\n', '\r\n', '\r'),
      async (all, end) => {
        const bytes = Buffer.from(`a,b\n${all.join(end)}`);
        steps = 0;
        await read(bytes);
        expect(steps).toBeGreaterThan(0);
        expect(steps).toBeLessThanOrEqual(allowed(bytes));
      },
    );
    await fc.assert(property, { numRuns: propertyRuns(1_000) });
  });
});
