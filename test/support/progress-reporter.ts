import type { Reporter, TestModule, TestSpecification } from 'vitest/node';

/** The minimum time between two lines. */
const quietMilliseconds = 5_000;

/**
 * Prints the number of finished files every few seconds, and each failed test at once. An
 * interrupted run never shows the full report.
 */
export default class ProgressReporter implements Reporter {
  readonly #now: () => number;
  readonly #write: (line: string) => void;
  #total = 0;
  #done = 0;
  #failed = 0;
  #said = 0;

  constructor({ now = Date.now, write = console.log } = {}) {
    this.#now = now;
    this.#write = write;
  }

  onTestRunStart(files: readonly TestSpecification[]): void {
    this.#total = files.length;
    this.#done = 0;
    this.#failed = 0;
    this.#said = this.#now();
  }

  onTestModuleEnd(module: TestModule): void {
    this.#done += 1;
    if (!module.ok()) {
      this.#failed += 1;
      const tests = [...module.children.allTests('failed')].map(({ fullName }) => fullName);
      this.#write([`failed: ${module.relativeModuleId}`, ...tests].join('\n  '));
    }
    const now = this.#now();
    if (now - this.#said < quietMilliseconds) return;
    this.#said = now;
    const failed = this.#failed > 0 ? `, ${this.#failed} with failures` : '';
    this.#write(`${this.#done} of ${this.#total} files done${failed}`);
  }
}
