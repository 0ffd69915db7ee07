import { describeError } from '../../gateway/describe-error.ts';
import { withinTime } from '../../gateway/within-time.ts';

export interface Finding {
  /** The subject of the check, for example `Redis`. */
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly message: string;
  /** The next step for the user. Null if no step is needed. */
  readonly advice: string | null;
}

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

/** Longer than the timeouts inside the check, so that the check can report its own timeout. */
const checkMilliseconds = 10_000;

/** An error or a timeout becomes a finding, so that the report is always complete. */
export async function runCheck(
  check: string,
  work: (findings: Findings) => Promise<void>,
  milliseconds = checkMilliseconds,
): Promise<Finding[]> {
  const findings = new Findings(check);
  const done = work(findings)
    .catch((error: unknown) =>
      findings.fail(describeError(error).message, 'fix this, and run doctor again'),
    )
    .then(() => true);
  if ((await withinTime(done, milliseconds)) === undefined) {
    findings.fail(
      `there was no answer within ${milliseconds / 1000} seconds`,
      'check whether it hangs, and check the network to it',
    );
  }
  return [...findings.list];
}
