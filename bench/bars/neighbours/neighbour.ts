import { Agent, get } from 'node:http';
import { performance } from 'node:perf_hooks';
import { percentile } from '../../statistics.ts';
import { metricsPath } from '../../workloads.ts';
import { type Latencies, noAnswer } from './attack.ts';
import { type Expected, isMetricsOf } from './metrics-answer.ts';

const giveUpMilliseconds = 30_000;

interface Read {
  /** The duration of the read in milliseconds. */
  readonly latency: number;
  /** The status or the error. `wrong data` means a status 200 with data that differs from the tables. */
  readonly answer: string;
}

export interface NeighbourOptions {
  readonly port: number;
  readonly key: string;
  /** The metrics in the tables, by company. */
  readonly expected: ReadonlyMap<string, readonly Expected[]>;
  /** The number of reads per second. */
  readonly rate: number;
}

/** Sends plain reads at a constant rate. A latency counts from the time at which the read was due. */
export class Neighbour {
  readonly #options: NeighbourOptions;
  readonly #companies: readonly string[];
  readonly #agent = new Agent({ keepAlive: true, scheduling: 'lifo' });
  readonly #running = new Set<Promise<void>>();
  #reads: Read[] = [];
  #count = 0;

  constructor(options: NeighbourOptions) {
    this.#options = options;
    this.#companies = [...options.expected.keys()];
  }

  /** Sends reads until the promise settles. Then waits for reads that aren't finished. */
  async readUntil(over: Promise<unknown>): Promise<Latencies> {
    this.#reads = [];
    const interval = 1_000 / this.#options.rate;
    let nextAt = performance.now();
    const timer = setInterval(() => {
      for (; nextAt <= performance.now(); nextAt += interval) this.#read(nextAt);
    }, 2);
    try {
      await over;
    } finally {
      clearInterval(timer);
    }
    await Promise.all(this.#running);
    return summarize(this.#reads);
  }

  close(): void {
    this.#agent.destroy();
  }

  #read(dueAt: number): void {
    const companyId = this.#companies[this.#count % this.#companies.length] ?? '';
    this.#count += 1;
    const reads = this.#reads;
    const read = this.#ask(companyId).then((answer) => {
      reads.push({ latency: performance.now() - dueAt, answer });
      this.#running.delete(read);
    });
    this.#running.add(read);
  }

  #ask(companyId: string): Promise<string> {
    const { port, key, expected } = this.#options;
    const { promise, resolve } = Promise.withResolvers<string>();
    const request = get({
      port,
      host: '127.0.0.1',
      path: metricsPath(companyId),
      agent: this.#agent,
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(giveUpMilliseconds),
    });
    request.on('error', ({ name, message }) =>
      resolve(name === 'TimeoutError' || name === 'AbortError' ? noAnswer : message),
    );
    request.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('error', ({ message }) => resolve(message));
      response.on('end', () => {
        if (response.statusCode !== 200) resolve(String(response.statusCode));
        else resolve(isMetricsOf(expected.get(companyId) ?? [], body) ? '200' : 'wrong data');
      });
    });
    return promise;
  }
}

function summarize(reads: readonly Read[]): Latencies {
  const latencies = reads.map(({ latency }) => latency);
  const at = (share: number) => percentile(latencies, share);
  const answers: Record<string, number> = {};
  for (const { answer } of reads) answers[answer] = (answers[answer] ?? 0) + 1;
  return { reads: reads.length, p50: at(0.5), p99: at(0.99), worst: at(1), answers };
}
