import { performance } from 'node:perf_hooks';
import { type Answer, HttpConnection } from './connection.ts';

interface Read<Target> {
  readonly target: Target;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly answer: Answer;
}

interface ReadersOptions<Target> {
  readonly ports: readonly number[];
  /** Over all ports. */
  readonly connections: number;
  /** What is asked next of this port. */
  next(port: number): Target;
  bytesOf(target: Target): Buffer;
  onRead(read: Read<Target>): void;
  /** The status and headers of an answer have come, its body perhaps not. */
  onHead?(status: number, head: string): void;
  /** A connection has ended; it is not opened again. */
  onEnd?(error: Error): void;
}

export interface Readers {
  /** Lets what is under way come to its end, and asks no more. */
  stop(): Promise<void>;
}

/** Callers in this very process that ask without a pause, for what must know which of two things came first. */
export function startReaders<Target>(options: ReadersOptions<Target>): Readers {
  let isStopping = false;
  const ends: Promise<void>[] = [];
  for (let index = 0; index < options.connections; index += 1) {
    const port = options.ports[index % options.ports.length] ?? 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.push(promise);
    let target: Target;
    let sentAt = 0;
    const send = () => {
      if (isStopping) {
        connection.close();
        resolve();
        return;
      }
      target = options.next(port);
      sentAt = performance.now();
      connection.send(options.bytesOf(target));
    };
    const connection = new HttpConnection(port, {
      onAnswer(answer) {
        options.onRead({ target, sentAt, answeredAt: performance.now(), answer });
        send();
      },
      ...(options.onHead && { onHead: options.onHead }),
      onEnd(error) {
        options.onEnd?.(error);
        resolve();
      },
    });
    send();
  }
  return {
    async stop() {
      isStopping = true;
      await Promise.all(ends);
    },
  };
}
