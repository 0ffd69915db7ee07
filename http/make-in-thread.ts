import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { StaticContent } from './static-content.ts';

/** Makes a page in a separate thread, because loading and rendering megabytes would delay other callers. */
export async function makeInThread(
  module: string,
  caller: ImportMeta,
  input?: unknown,
): Promise<StaticContent> {
  const page = await runInThread<StaticContent>(module, caller, input);
  return { ...page, bytes: Buffer.from(page.bytes) };
}

interface ThreadOptions<Message> {
  readonly maxMilliseconds?: number;
  readonly maxHeapMebibytes?: number;
  /** Takes the messages before the last one. Without it, the first message is the last. */
  readonly handlePart?: (message: Message) => boolean;
}

/**
 * Runs a module in a separate thread and returns the last message that the module posts to its parent.
 *
 * @param module without its extension, which is another one in the package
 * @param input what the module finds as its `workerData`
 * @throws Error if the thread ends or exceeds a limit before it posts that message
 */
export async function runInThread<Message>(
  module: string,
  caller: ImportMeta,
  input?: unknown,
  options: ThreadOptions<Message> = {},
): Promise<Message> {
  const { maxMilliseconds, maxHeapMebibytes, handlePart = () => false } = options;
  const thread = new Worker(new URL(`${module}${extname(caller.url)}`, caller.url), {
    workerData: input,
    // The options of the process may concern the file that it was started with.
    execArgv: [],
    ...(maxHeapMebibytes !== undefined && {
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMebibytes },
    }),
  });
  const { promise, resolve, reject } = Promise.withResolvers<Message>();
  const timer =
    maxMilliseconds === undefined
      ? undefined
      : setTimeout(() => reject(new Error(`${module} takes too long`)), maxMilliseconds);
  thread.on('message', (message: Message) => {
    if (!handlePart(message)) resolve(message);
  });
  thread.on('error', reject);
  thread.on('exit', () => reject(new Error(`no page of ${module}`)));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}
