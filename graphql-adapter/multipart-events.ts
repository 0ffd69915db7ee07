import type { ExecutionResult } from 'graphql';
import type { EventStreamOptions, EventStreamSource } from '#http';

/**
 * Apollo's form of a subscription over HTTP: each result is a part of one response. Clients process a part when they see
 * the next boundary, so each part ends with it.
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

/** A web stream would wait for the next event before it releases a client. */
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
