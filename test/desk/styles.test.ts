import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../desk/assets/style');

/** A side of the screen, or a size along it. A right-to-left language needs the logical property instead. */
const physical =
  /(?:^|[\s;{])(?:left|right|top|bottom|width|height|(?:min|max)-(?:width|height)|(?:margin|padding|border|inset)-(?:left|right|top|bottom)[\w-]*)\s*:|:\s*(?:left|right)\s*[;}]/gm;

test('styles name no side of the screen, so they also work in a right-to-left language', () => {
  const files = globSync('*.css', { cwd: folder });
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const rules = readFileSync(join(folder, file), 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
    expect(rules.match(physical), file).toBeNull();
  }
});
