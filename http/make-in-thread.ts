import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { StaticContent } from './static-content.ts';

/** Creates a page in a separate thread, because rendering megabytes would block the event loop. */
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
  /** Returns false for the last message, which becomes the result. By default, the first message is the last. */
  readonly handlePart?: (message: Message) => boolean;
}

/**
 * Runs a module in a separate thread and returns the last message that it posts.
 *
 * @param module the file name without its extension, because the extension differs in the package
 * @param input the `workerData` of the module
 * @throws Error if the thread exits or exceeds a limit before the last message
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
    // The thread gets none of this process's options, because `--input-type`, for example, may be invalid for it.
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
  thread.on('exit', () => reject(new Error(`${module} ended without a result`)));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}
