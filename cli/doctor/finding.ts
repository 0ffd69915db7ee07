import { describeError } from '../../gateway/describe-error.ts';
import { withinTime } from '../../gateway/within-time.ts';

/** One line of the report: a result, and what to do about it. */
export interface Finding {
  /** The subject of the check, for example `Redis`. */
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly message: string;
  /** Null if there is nothing to do. */
  readonly advice: string | null;
}

/** Collects the findings of one check, in the order in which they are reported. */
export class Findings {
  readonly list: Finding[] = [];
  readonly #check: string;

  constructor(check: string) {
    this.#check = check;
  }

  ok(message: string): void {
    this.list.push({ check: this.#check, state: 'ok', message, advice: null });
  }

  warn(message: string, advice: string): void {
    this.list.push({ check: this.#check, state: 'warning', message, advice });
  }

  fail(message: string, advice: string): void {
    this.list.push({ check: this.#check, state: 'failed', message, advice });
  }
}

/** Longer than the timeouts inside the checks. */
const checkMilliseconds = 10_000;

/** Turns an error or a timeout into a finding, so the report is always complete. */
export async function runCheck(
  check: string,
  work: (findings: Findings) => Promise<void>,
  milliseconds = checkMilliseconds,
): Promise<Finding[]> {
  const findings = new Findings(check);
  const done = work(findings)
    .catch((error: unknown) =>
      findings.fail(describeError(error).message, 'mend this, and run doctor again'),
    )
    .then(() => true);
  if ((await withinTime(done, milliseconds)) === undefined) {
    findings.fail(
      `there was no answer within ${milliseconds / 1000} seconds`,
      'see whether it hangs, and what stands between it and this machine',
    );
  }
  return [...findings.list];
}
