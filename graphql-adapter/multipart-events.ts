import type { ExecutionResult } from 'graphql';
import type { EventStreamOptions, EventStreamSource } from '#http';

/**
 * Apollo's form of a subscription over HTTP: each result is a part of one response. A client processes a part after it
 * has
 * seen the next boundary, so each part is sent with that boundary.
 */
const boundary = 'graphql';
const delimiter = `\r\n--${boundary}`;

const writePart = (content: object) =>
  `\r\ncontent-type: application/json\r\n\r\n${JSON.stringify(content)}${delimiter}`;

/** A part without a result. */
const signOfLife = writePart({});

export const multipartEvents = {
  contentType: `multipart/mixed; boundary="${boundary}"; subscriptionSpec=1.0`,
  heartbeat: signOfLife,
} as const satisfies EventStreamOptions;

/** Not a web stream, which would wait for the next event before it releases a client. */
export function writeEventsAsParts(results: AsyncIterable<ExecutionResult>): EventStreamSource {
  const source = results[Symbol.asyncIterator]();
  let hasStarted = false;
  let hasEnded = false;
  return {
    async read() {
      if (!hasStarted) {
        hasStarted = true;
        return { done: false, value: delimiter + signOfLife };
      }
      if (hasEnded) return { done: true };
      const { done = false, value } = await source.next();
      hasEnded = done;
      return { done: false, value: done ? '--\r\n' : writePart({ payload: value }) };
    },
    cancel: () => source.return?.(),
  };
}
