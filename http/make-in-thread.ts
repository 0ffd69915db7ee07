import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { StaticContent } from './static-content.ts';

/**
 * Has a module make a page in a thread of its own, where loading and rendering megabytes keeps no caller waiting. The
 * module posts the page to its parent.
 *
 * @param module without its extension, which is another one in the package
 * @param input what the module finds as its `workerData`
 */
export async function makeInThread(
  module: string,
  caller: ImportMeta,
  input?: unknown,
): Promise<StaticContent> {
  const thread = new Worker(new URL(`${module}${extname(caller.url)}`, caller.url), {
    workerData: input,
    // The options of the process may concern the file that it was started with.
    execArgv: [],
  });
  const ended = once(thread, 'exit').then(() => Promise.reject(new Error(`no page of ${module}`)));
  try {
    const [page] = (await Promise.race([once(thread, 'message'), ended])) as [StaticContent];
    return { ...page, bytes: Buffer.from(page.bytes) };
  } finally {
    ended.catch(() => undefined);
    await thread.terminate();
  }
}
