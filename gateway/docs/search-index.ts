import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import MiniSearch from 'minisearch';
import type { StaticContent } from '#http';
import { changelog, guideGroups } from './guides.ts';
import { withAddress } from './markdown.ts';
import { type IndexInput, indexOptions } from './search.ts';
import { errorSections, type Section, sectionsOf } from './sections.ts';

/** Indexes everything except the changelog, which mentions all words. */
async function makeIndex({ publicUrl }: IndexInput): Promise<StaticContent> {
  const index = new MiniSearch<Section>(indexOptions);
  for (const { name, file, title } of guideGroups.flatMap(({ guides }) => guides)) {
    if (name === changelog) continue;
    const markdown = withAddress(await readFile(file, 'utf8'), publicUrl);
    index.addAll(sectionsOf(markdown, `/docs/${name}`, title));
  }
  index.addAll(errorSections());
  return { type: 'application/json', bytes: Buffer.from(JSON.stringify(index)) };
}

parentPort?.postMessage(await makeIndex(workerData as IndexInput));
