import type { ExecutionResult } from 'graphql';
import type { EventStreamOptions, EventStreamSource } from '#http';

/**
 * In Apollo's format for subscriptions, each result is a part of one response. Clients process a part only after the
 * boundary behind it, so each part ends with a boundary.
 */
const boundary = 'graphql';
const delimiter = `\r\n--${boundary}`;

const writePart = (content: object) =>
  `\r\ncontent-type: application/json\r\n\r\n${JSON.stringify(content)}${delimiter}`;

const emptyPart = writePart({});

export const multipartEvents = {
  contentType: `multipart/mixed; boundary="${boundary}"; subscriptionSpec=1.0`,
  heartbeat: emptyPart,
} as const satisfies EventStreamOptions;

/** Doesn't return a web stream: after a client disconnects, a web stream stops only after the next event. */
export function writeEventsAsParts(results: AsyncIterable<ExecutionResult>): EventStreamSource {
  const source = results[Symbol.asyncIterator]();
  let hasStarted = false;
  let hasEnded = false;
  return {
    async read() {
      if (!hasStarted) {
        hasStarted = true;
        return { done: false, value: delimiter + emptyPart };
      }
      if (hasEnded) return { done: true };
      const { done = false, value } = await source.next();
      hasEnded = done;
      return { done: false, value: done ? '--\r\n' : writePart({ payload: value }) };
    },
    cancel: () => source.return?.(),
  };
}
