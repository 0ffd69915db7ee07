import type { Inconsistency } from '../../model/consistency/inconsistency.ts';
import type { Ports } from '../../ports/index.ts';
import { hasSigningKey, inspectConsents } from '../proof/inspect-consents.ts';

interface WatchOptions {
  /** True to inspect every live access request. Otherwise only suspect requests are inspected. */
  readonly isFull: boolean;
  /** The IDs of access requests that had problems before. They are inspected again if they are still live. */
  readonly known: readonly string[];
  /** Called before each page of access requests. Returns true to stop the run. */
  readonly isStopping?: () => boolean;
}

/** Finds live access requests that disagree with their events or receipts, such as a grant without an approval. */
export const watchConsents =
  (ports: Ports) =>
  async ({ isFull, known, isStopping }: WatchOptions): Promise<readonly Inconsistency[]> => {
    const { consistency } = ports;
    const mustBeSigned = await hasSigningKey(ports);
    const selection = isFull
      ? 'live'
      : [...new Set([...known, ...(await consistency.listSuspectConsents())])];
    const options = { mustBeSigned, isStopping, onlyLive: true };
    return Array.fromAsync(inspectConsents(ports, selection, options));
  };
