import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CompressedBytes } from '../../http/compressed-bytes.ts';

it('compressed bytes are decompressed to the original bytes, as a whole or in slices, and keep their original length', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 5_000 });
  const sliceBytes = fc.integer({ min: 64, max: 4_096 });
  await fc.assert(
    fc.asyncProperty(text, sliceBytes, async (kept, most) => {
      const plain = Buffer.from(kept);
      const bytes = await CompressedBytes.of(plain);
      const slices = await Array.fromAsync(bytes.slices(most));
      expect(Buffer.concat(slices).equals(plain)).toBe(true);
      expect((await bytes.whole()).equals(plain)).toBe(true);
      expect(bytes.length).toBe(plain.length);
      expect(slices.every(({ length }) => length <= most)).toBe(true);
    }),
  );
});

it('compressed bytes take less memory than the original bytes', async () => {
  const bytes = await CompressedBytes.of(Buffer.from('metric '.repeat(10_000)));
  expect(bytes.storedLength).toBeLessThan(bytes.length / 50);
});
